// What stays on a node's menu. The tactics here do nothing and cost what the test says.
#include "choose/choose.h"

#include "choose/lower.h"

#include <gmock/gmock.h>

#include "support/graph_check.h"

namespace memline {
namespace {

using testing::ElementsAre;

class IdleKernel final : public Kernel {
 public:
  RunStatus run(const KernelArgs&) noexcept override { return {}; }
};

struct Costs {
  std::string name;
  double nanoseconds = 0;
  int64_t packed = 0, workspace = 0;
};

class CostlyTactic final : public Tactic {
 public:
  explicit CostlyTactic(Costs costs) : costs_(std::move(costs)) {}
  std::string_view name() const override { return costs_.name; }
  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name == "Copy" && !costs_.name.ends_with(".reference"), "no copies");
    return Support::yes();
  }
  Workspace workspace(const OpCall&, int) const override { return {.shared = costs_.workspace}; }
  double stored_cost(const OpCall&) const override { return costs_.nanoseconds; }
  int64_t packed_bytes(const OpCall&) const override { return costs_.packed; }
  Result<std::unique_ptr<Kernel>> make(const OpCall&, std::span<const std::byte>) const override {
    return std::make_unique<IdleKernel>();
  }

 private:
  Costs costs_;
};

class CostlyBackend final : public Backend {
 public:
  explicit CostlyBackend(const std::vector<Costs>& list) {
    for (const Costs& costs : list) tactics_.push_back(std::make_unique<CostlyTactic>(costs));
  }
  std::string_view name() const override { return "costly"; }
  std::string target() const override { return "costly"; }
  std::span<const std::unique_ptr<Tactic>> tactics() const override { return tactics_; }
  Result<DType> activation_dtype(std::string_view) const override { return DType::f32; }

 private:
  std::vector<std::unique_ptr<Tactic>> tactics_;
};

constexpr std::string_view kOneNode = "x = Input() f32[4,64]\ny = Relu(x)\nOutput(y)";

Result<Menu> chosen(std::shared_ptr<const Graph> graph, const Backend& backend, const TuneOptions& options) {
  MEML_TRY(Menu menu, lower(std::move(graph), backend, {}));
  MEML_TRY_STATUS(choose(menu, options));
  return menu;
}

Result<Menu> choose_from(const std::vector<Costs>& list, const TuneOptions& options = {.tune = Tune::none}) {
  return chosen(std::make_shared<const Graph>(test::parse(kOneNode)), CostlyBackend(list), options);
}

// The menu's tactics live as long as the backend: only names are kept.
std::vector<std::string> names_from(const std::vector<Costs>& list, TuneOptions options = {.tune = Tune::none}) {
  const CostlyBackend backend(list);
  const auto menu = chosen(std::make_shared<const Graph>(test::parse(kOneNode)), backend, options);
  EXPECT_TRUE(menu.has_value()) << (menu ? "" : menu.error().message);
  std::vector<std::string> names;
  if (menu)
    for (const Candidate& candidate : menu->nodes.front().candidates) names.emplace_back(candidate.tactic->name());
  return names;
}

TEST(Choose, KeepsTheFastestAndWhatNeedsLessThanAllBeforeIt) {
  EXPECT_THAT(names_from({{"a", 200, 0, 64}, {"b", 100, 1024, 1024}, {"c", 150, 4096, 1024}, {"d", 300, 0, 640}}),
              ElementsAre("b", "a"));
}

TEST(Choose, AlwaysKeepsTheLeanestHoweverSlow) {
  EXPECT_THAT(names_from({{"a", 1, 4096, 0}, {"b", 1e12, 0, 0}}), ElementsAre("a", "b"));
}

TEST(Choose, KeepsWhatIsLeanerInPackedBytesOrInWorkspace) {
  EXPECT_THAT(names_from({{"a", 100, 128, 0}, {"b", 200, 0, 128}, {"c", 300, 64, 64}, {"d", 400, 64, 64}}),
              ElementsAre("a", "b", "c"));
}

TEST(Choose, NearTiesGoByTheBackendsOrder) {
  EXPECT_THAT(names_from({{"first", 102, 0, 0}, {"second", 100, 0, 0}}), ElementsAre("first"));
  EXPECT_THAT(names_from({{"first", 104, 0, 0}, {"second", 100, 0, 0}}), ElementsAre("second"));
}

TEST(Choose, TheReferenceIsOfferedOnlyWhereNothingElseIs) {
  EXPECT_THAT(names_from({{"a", 100, 64, 0}, {"x.reference", 1, 0, 0}}), ElementsAre("a"));
  EXPECT_THAT(names_from({{"x.reference", 1, 0, 0}}), ElementsAre("x.reference"));
}

TEST(Choose, TakesTimesFromTheCacheAndTimesNothingThatItHolds) {
  const std::vector<Costs> list = {{"a", 100, 0, 0}, {"b", 200, 0, 0}};
  const CostlyBackend backend(list);
  const auto graph = std::make_shared<const Graph>(test::parse(kOneNode));
  const std::string call = chosen(graph, backend, {.tune = Tune::none})->nodes.front().call.text();
  TimingCache cache("costly", 1);
  cache.add(call, "a/1", 500);
  cache.add(call, "b/1", 50);
  Serial serial;
  const auto menu = chosen(graph, backend, {.tune = Tune::quick, .cache = &cache, .parallel = &serial});
  ASSERT_TRUE(menu.has_value()) << menu.error().message;
  EXPECT_EQ(menu->nodes.front().candidates.front().tactic->name(), "b");
  EXPECT_EQ(menu->nodes.front().candidates.front().nanoseconds, 50);
  EXPECT_TRUE(menu->nodes.front().candidates.front().measured);
  EXPECT_EQ(menu->timed_calls, 0);
  EXPECT_EQ(menu->cached_calls, 1);
}

TEST(Choose, PutsWhatItTimedIntoTheCache) {
  TimingCache cache("costly", 1);
  Serial serial;
  const TuneOptions options{.tune = Tune::quick, .cache = &cache, .parallel = &serial};
  const auto first = choose_from({{"a", 100, 0, 0}, {"b", 200, 0, 0}}, options);
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(first->timed_calls, 1);
  EXPECT_TRUE(cache.changed());
  EXPECT_EQ(choose_from({{"a", 100, 0, 0}, {"b", 200, 0, 0}}, options)->timed_calls, 0);
}

TEST(Choose, ACallThatDoesNotFitIntoTheBuildsMemoryKeepsItsStoredCosts) {
  Serial serial;
  const auto menu =
      choose_from({{"a", 100, 64, 0}, {"b", 200, 0, 0}}, {.tune = Tune::quick, .parallel = &serial, .max_bytes = 100});
  ASSERT_TRUE(menu.has_value()) << menu.error().message;
  EXPECT_EQ(menu->timed_calls, 0);
  EXPECT_FALSE(menu->nodes.front().candidates.front().measured);
}

TEST(Choose, IsCancelledWhileTiming) {
  const std::atomic<bool> cancel = true;
  Serial serial;
  const auto menu =
      choose_from({{"a", 100, 0, 0}, {"b", 200, 0, 0}}, {.tune = Tune::quick, .parallel = &serial, .cancel = &cancel});
  ASSERT_FALSE(menu.has_value());
  EXPECT_EQ(menu.error().code, Code::cancelled);
}

}  // namespace
}  // namespace memline

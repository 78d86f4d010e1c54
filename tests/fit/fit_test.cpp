// Schedules: what lies where another value lay, the line, and that all of it is repeatable.
#include "fit/fit.h"

#include <gmock/gmock.h>

#include <random>

#include "choose/choose.h"
#include "compiler/assemble.h"
#include "engine/file.h"
#include "memory/verify.h"
#include "support/lowered.h"

namespace memline {
namespace {

using test::fitted;
using test::lowered;
using test::task_of;
using testing::HasSubstr;

constexpr std::string_view kNetwork = R"(
    x = Input() f32[1,3,32,32]
    a = Conv(x, w1:f32[32,3,3,3], b1:f32[32]) pads=[1,1,1,1] | silu
    b = Conv(a, w2:f32[32,32,3,3]) pads=[1,1,1,1] | silu
    c = Conv(b, w3:f32[32,32,3,3], a) pads=[1,1,1,1] | silu add(2)
    d = MaxPool(c) kernel_shape=[2,2], strides=[2,2]
    u = Conv(d, w4:f32[64,32,3,3]) pads=[1,1,1,1] | relu
    cat = Concat(d, u) axis=1
    y = Conv(cat, w5:f32[8,96,1,1])
    Output(y))";

int32_t in_place(const Schedule& schedule, std::string_view value) {
  return schedule.in_place[static_cast<size_t>(task_of(schedule, value))];
}

TEST(InPlace, AnOutputTakesTheMemoryOfAnInputThatDies) {
  const Schedule s = fitted(R"(
    x = Input() f32[4,64]
    a = Relu(x)
    b = Sigmoid(a)
    c = Tanh(b)
    y = Relu(c)
    Output(y))");
  EXPECT_EQ(in_place(s, "a"), -1) << "the input is the caller's";
  EXPECT_EQ(in_place(s, "b"), 0);
  EXPECT_EQ(in_place(s, "c"), 0);
  EXPECT_EQ(in_place(s, "y"), -1) << "an output has a place of its own";
}

TEST(InPlace, AnInputThatIsReadAgainKeepsItsMemory) {
  const Schedule s = fitted(R"(
    x = Input() f32[4,64]
    a = Relu(x)
    b = Sigmoid(a)
    c = Add(b, a)
    y = Relu(c)
    Output(y))");
  EXPECT_EQ(in_place(s, "b"), -1);
  EXPECT_GE(in_place(s, "c"), 0);
}

TEST(InPlace, AnInputSeenThroughAViewLaterKeepsItsMemory) {
  const Schedule s = fitted(R"(
    x = Input() f32[4,64]
    n = Constant() i64[1] {256}
    a = Relu(x)
    r = Reshape(a, n)
    b = Sigmoid(a)
    y = Relu(b)
    z = Relu(r)
    Output(y, z))");
  // Whatever the order, the first of the two readers of a may not write over it.
  const auto position = [&](int32_t task) { return std::find(s.order.begin(), s.order.end(), task) - s.order.begin(); };
  if (position(task_of(s, "b")) < position(task_of(s, "z"))) {
    EXPECT_EQ(in_place(s, "b"), -1);
  }
}

TEST(InPlace, AnInputThatIsReadTwiceByTheSameStepKeepsItsMemory) {
  const Schedule s = fitted(R"(
    x = Input() f32[4,64]
    a = Relu(x)
    b = Add(a, a)
    y = Relu(b)
    Output(y))");
  EXPECT_EQ(in_place(s, "b"), -1);
}

TEST(InPlace, AnInputOfAnotherShapeKeepsItsMemory) {
  const Schedule s = fitted(R"(
    x = Input() f32[1,64]
    z = Input() f32[4,64]
    a = Relu(x)
    b = Add(z, a)
    y = Relu(b)
    Output(y))");
  EXPECT_EQ(in_place(s, "b"), -1);
}

TEST(Fit, ThePlanIsOneAndTheBillAddsUp) {
  const Schedule s = fitted(kNetwork);
  EXPECT_TRUE(memory::verify(s.buffers, s.plan.offsets, s.plan.arena_bytes).has_value());
  EXPECT_EQ(s.bill.activations + s.bill.workspace + s.bill.io, s.plan.arena_bytes);
  EXPECT_GE(s.bill.weights, s.weights_bytes);
  EXPECT_GE(s.plan.arena_bytes, s.plan.lower_bound_bytes);
  EXPECT_EQ(s.order.size(), s.homes.tasks.size());
}

TEST(Fit, TheLeastLineWorksAndAByteLessIsRefused) {
  const auto menu = std::make_shared<const Menu>(lowered(kNetwork));
  const auto refused = fit(menu, {.limit_bytes = 1});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::over_budget);
  EXPECT_EQ(refused.error().phase, "run");
  const int64_t least = refused.error().least_bytes;
  EXPECT_THAT(refused.error().message, HasSubstr(std::to_string(least)));
  ASSERT_FALSE(refused.error().largest.empty());
  EXPECT_THAT(refused.error().message, HasSubstr(refused.error().largest[0].name));

  const auto fits = fit(menu, {.limit_bytes = least});
  ASSERT_TRUE(fits.has_value()) << fits.error().message;
  EXPECT_LE(fits->bill.total(), least);
  const auto above = fit(menu, {.limit_bytes = least - 1});
  ASSERT_FALSE(above.has_value());
  EXPECT_EQ(above.error().least_bytes, least);
}

TEST(Fit, EveryLineAboveTheLeastIsMet) {
  const auto menu = std::make_shared<const Menu>(lowered(kNetwork));
  const int64_t least = fit(menu, {.limit_bytes = 1}).error().least_bytes;
  const int64_t most = fit(menu, {})->bill.total();
  ASSERT_GT(most, least);
  for (int i = 0; i <= 8; ++i) {
    const int64_t line = least + (most - least) * i / 8;
    const auto s = fit(menu, {.limit_bytes = line});
    ASSERT_TRUE(s.has_value()) << line << ": " << s.error().message;
    EXPECT_LE(s->bill.total(), line);
    EXPECT_TRUE(memory::verify(s->buffers, s->plan.offsets, s->plan.arena_bytes).has_value());
  }
}

TEST(Fit, TheMachinesMemoryIsALineToo) {
  const auto menu = std::make_shared<const Menu>(lowered(kNetwork));
  const auto refused = fit(menu, {.limit_bytes = int64_t{1} << 40, .machine_limit_bytes = 1000});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::over_budget);
}

// Two convolutions, each with a fast candidate of 64 KiB and a slow one of nothing.
Menu two_choices(double first_slow_ns, double second_slow_ns) {
  Menu menu = lowered(R"(
    x = Input() f32[1,8,4,4]
    a = Conv(x, w1:f32[8,8,1,1])
    b = Conv(a, w2:f32[8,8,1,1])
    Output(b))");
  for (MenuNode& node : menu.nodes) {
    if (node.call.op->name != "Conv") continue;
    Candidate candidate = node.candidates.back();
    candidate.workspace = {};
    candidate.packs = ~uint64_t{0};
    Candidate fast = candidate, lean = candidate;
    fast.packed_bytes = fast.weight_bytes = 64 << 10;
    fast.nanoseconds = 100;
    lean.packed_bytes = lean.weight_bytes = 0;
    lean.nanoseconds = node.name == "a" ? first_slow_ns : second_slow_ns;
    node.candidates = {fast, lean};
  }
  return menu;
}

std::vector<int32_t> picks(const Menu& menu, int64_t below_fastest) {
  const auto shared = std::make_shared<const Menu>(menu);
  const auto fastest = fit(shared, {});
  const auto s = fit(shared, {.limit_bytes = fastest->bill.total() - below_fastest});
  EXPECT_TRUE(s.has_value()) << s.error().message;
  return {s->pick[static_cast<size_t>(task_of(*s, "a"))], s->pick[static_cast<size_t>(task_of(*s, "b"))]};
}

TEST(Fit, GivesUpTheCandidateThatCostsTheLeastTimeForItsBytes) {
  EXPECT_EQ(picks(two_choices(110, 200), 0), (std::vector{0, 0}));
  EXPECT_EQ(picks(two_choices(110, 200), 1), (std::vector{1, 0}));
  EXPECT_EQ(picks(two_choices(200, 110), 1), (std::vector{0, 1}));
  EXPECT_EQ(picks(two_choices(200, 110), 65 << 10), (std::vector{1, 1}));
}

TEST(Fit, TheLeastLineIsThatOfTheFastestWhereThatIsTheLeanest) {
  // The second candidate is leaner alone (no workspace), but its packed bytes stay while the workspaces share their
  // place.
  Menu menu = two_choices(110, 110);
  for (MenuNode& node : menu.nodes) {
    if (node.call.op->name != "Conv") continue;
    node.candidates[0].packed_bytes = node.candidates[0].weight_bytes = 0;
    node.candidates[0].workspace = {.shared = 64 << 10};
    node.candidates[1].packed_bytes = node.candidates[1].weight_bytes = 60 << 10;
  }
  const auto shared = std::make_shared<const Menu>(menu);
  const int64_t least = fit(shared, {.limit_bytes = 1}).error().least_bytes;
  EXPECT_TRUE(fit(shared, {.limit_bytes = least}).has_value());
  EXPECT_FALSE(fit(shared, {.limit_bytes = least - 1}).has_value());
}

TEST(Fit, TheLeastLineDoesNotDependOnTimes) {
  std::vector<int64_t> leasts;
  for (const uint32_t seed : {1u, 2u, 3u, 4u}) {
    Menu menu = lowered(kNetwork);
    std::mt19937 random(seed);
    for (MenuNode& node : menu.nodes)
      for (Candidate& candidate : node.candidates) candidate.nanoseconds = random() % 1000 + 1;
    ASSERT_TRUE(choose(menu, {.tune = Tune::none}).has_value());
    const auto shared = std::make_shared<const Menu>(menu);
    leasts.push_back(fit(shared, {.limit_bytes = 1}).error().least_bytes);
    EXPECT_TRUE(fit(shared, {.limit_bytes = leasts.back()}).has_value());
    EXPECT_FALSE(fit(shared, {.limit_bytes = leasts.back() - 1}).has_value());
  }
  EXPECT_THAT(leasts, testing::Each(leasts.front()));
}

TEST(Fit, ALineIsRefusedBeforeAnythingIsTimedWithTheSameNumber) {
  const auto menu = std::make_shared<Menu>(lowered(kNetwork));
  const auto early = least_line(menu, {.limit_bytes = 1});
  ASSERT_FALSE(early.has_value());
  ASSERT_TRUE(choose(*menu, {.tune = Tune::none}).has_value());
  EXPECT_EQ(early.error().least_bytes, fit(menu, {.limit_bytes = 1}).error().least_bytes);
  EXPECT_TRUE(least_line(menu, {.limit_bytes = early.error().least_bytes}).has_value());
  EXPECT_FALSE(least_line(menu, {.limit_bytes = early.error().least_bytes - 1}).has_value());
}

TEST(Fit, TheLeastScheduleUsesTheRoomBesideAPeakThatIsElsewhere) {
  // The first convolution makes the peak; beside the second there is room for a workspace that saves packed bytes.
  Menu menu = lowered(R"(
    x = Input() f32[1,8,64,64]
    a = Conv(x, w1:f32[64,8,1,1])
    b = Conv(a, w2:f32[1,64,1,1])
    c = Conv(b, w3:f32[8,1,1,1])
    Output(c))");
  for (MenuNode& node : menu.nodes) {
    if (node.name != "c") continue;
    Candidate packed = node.candidates.back(), roomy = packed;
    packed.workspace = {};
    packed.packed_bytes = packed.weight_bytes = 200 << 10;
    roomy.workspace = {.shared = 100 << 10};
    roomy.packed_bytes = roomy.weight_bytes = 0;
    node.candidates = {packed, roomy};
  }
  const auto shared = std::make_shared<const Menu>(menu);
  const int64_t least = fit(shared, {.limit_bytes = 1}).error().least_bytes;
  const auto s = fit(shared, {.limit_bytes = least});
  ASSERT_TRUE(s.has_value()) << s.error().message;
  EXPECT_EQ(s->pick[static_cast<size_t>(task_of(*s, "c"))], 1);
}

TEST(Fit, ThePlainPlanTakesNoSwaps) {
  const auto menu = std::make_shared<const Menu>(two_choices(110, 200));
  const int64_t fastest = fit(menu, {})->bill.total();
  const auto s = fit(menu, {.limit_bytes = fastest - 1, .plain = true});
  ASSERT_TRUE(s.has_value());
  EXPECT_EQ(s->pick[static_cast<size_t>(task_of(*s, "b"))], 1) << "all of the leanest, or all of the fastest";
}

TEST(Fit, EqualStepsOverTheSameConstantsShareTheirPackedBytes) {
  const Schedule shared = fitted(R"(
    x = Input() f32[1,16,8,8]
    w = Constant() f32[16,16,1,1]
    a = Conv(x, w)
    b = Conv(a, w)
    c = Conv(b, w)
    Output(c))");
  const int32_t b = shared.packed_item[static_cast<size_t>(task_of(shared, "b"))];
  EXPECT_GE(b, 0);
  EXPECT_EQ(b, shared.packed_item[static_cast<size_t>(task_of(shared, "c"))]);
}

// One head over the levels of a pyramid.
TEST(Fit, TheSameConstantsOverOtherExtentsShareTheirPackedBytes) {
  const Schedule shared = fitted(R"(
    x = Input() f32[1,16,8,8]
    y = Input() f32[1,16,5,20]
    w = Constant() f32[16,16,1,1]
    a = Conv(x, w)
    b = Conv(y, w)
    c = Conv(y, w) | relu
    Output(a, b, c))");
  const auto item = [&](const char* name) { return shared.packed_item[static_cast<size_t>(task_of(shared, name))]; };
  EXPECT_GE(item("a"), 0);
  EXPECT_EQ(item("a"), item("b"));
  EXPECT_NE(item("a"), item("c")) << "an epilogue may be packed too";
}

TEST(Fit, TheSameMenuAndLineGiveTheSameEngine) {
  const int64_t least = fit(std::make_shared<const Menu>(lowered(kNetwork)), {.limit_bytes = 1}).error().least_bytes;
  for (const int64_t line : {int64_t{0}, least, least + 20000}) {
    const auto once = engine::encode(assemble(fitted(kNetwork, {.limit_bytes = line})));
    const auto again = engine::encode(assemble(fitted(kNetwork, {.limit_bytes = line})));
    EXPECT_EQ(once, again);
  }
}

}  // namespace
}  // namespace memline

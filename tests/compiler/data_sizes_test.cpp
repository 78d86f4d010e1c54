// Sizes that stand in tensors: what only the data knows, bounded by the op or by the user, and refused beyond.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/threads.h"
#include "choose/choose.h"
#include "compiler/assemble.h"
#include "engine/engine.h"
#include "onnx/import.h"
#include "runtime/session.h"
#include "support/lowered.h"
#include "support/onnx_model.h"

namespace memline {
namespace {

using test::OnnxModel;
using test::OnnxNode;
using testing::HasSubstr;

// One node `op` named n over x f32[2,3] and s i64[count], and what makes kernels of its output.
std::string model_of(const std::string& op, int64_t count) {
  return OnnxModel(17)
      .input("x", {"2", "3"})
      .input("s", {std::to_string(count)}, 7)
      .node(OnnxNode(op, {"x", "s"}, {"e"}, "n"))
      .node(OnnxNode("Neg", {"e"}, {"y"}))
      .output("y")
      .bytes();
}

Result<Graph> imported(const std::string& model, const std::map<std::string, int64_t>& limits) {
  const auto owner = std::make_shared<const std::string>(model);
  return onnx::import(std::as_bytes(std::span(*owner)), owner, {.limits = limits});
}

class Runner {
 public:
  explicit Runner(Graph graph) : pool_(*ThreadPool::create(0)) {
    const auto menu =
        std::make_shared<Menu>(lower(std::make_shared<const Graph>(std::move(graph)), test::avx2(), {}).value());
    EXPECT_TRUE(choose(*menu, {.tune = Tune::none}).has_value());
    const auto schedule = fit(menu, {});
    auto engine =
        std::make_shared<const engine::Engine>("cpu avx2", assemble(*schedule), std::span<const std::byte>(), nullptr);
    auto session = runtime::Session::create(std::move(engine), test::avx2(), *pool_, {});
    EXPECT_TRUE(session.has_value()) << (session ? "" : session.error().message);
    session_ = *std::move(session);
  }

  // "4x2x3: -1 -2": dims and the first elements of y, or why not.
  std::string run(std::vector<int64_t> sizes) {
    std::vector<float> x = {1, 2, 3, 4, 5, 6};
    const int64_t two_three[] = {2, 3}, count[] = {static_cast<int64_t>(sizes.size())};
    const TensorView inputs[] = {dense_view(DType::f32, x.data(), two_three),
                                 dense_view(DType::i64, sizes.data(), count)};
    std::vector<TensorView> outputs(1);
    const RunStatus status = session_->run(inputs, outputs);
    if (!status.ok()) {
      EXPECT_EQ(status.code, Code::invalid_argument);
      return session_->explain(status);
    }
    const TensorView& y = outputs[0];
    std::string text = fmt::format("{}:", fmt::join(y.dims.begin(), y.dims.begin() + y.rank, "x"));
    for (int64_t i = 0; i < std::min<int64_t>(y.elements(), 6); ++i) text += fmt::format(" {}", y.as<float>()[i]);
    return text;
  }

 private:
  std::shared_ptr<ThreadPool> pool_;
  std::unique_ptr<runtime::Session> session_;
};

Runner runner(const std::string& op, int64_t count, const std::map<std::string, int64_t>& limits = {}) {
  auto graph = imported(model_of(op, count), limits);
  EXPECT_TRUE(graph.has_value()) << (graph ? "" : graph.error().message);
  return Runner(*std::move(graph));
}

TEST(DataSizes, AReshapeIsBoundedByTheElementsThatThereAre) {
  Runner reshape = runner("Reshape", 2);
  EXPECT_EQ(reshape.run({3, 2}), "3x2: -1 -2 -3 -4 -5 -6");
  EXPECT_EQ(reshape.run({-1, 6}), "1x6: -1 -2 -3 -4 -5 -6");
  EXPECT_EQ(reshape.run({0, -1}), "2x3: -1 -2 -3 -4 -5 -6");
  EXPECT_THAT(reshape.run({4, 2}), HasSubstr("Reshape 'n'"));
  EXPECT_THAT(reshape.run({-1, -1}), HasSubstr("where data decides"));
  EXPECT_THAT(reshape.run({7, 1}), HasSubstr("outside its bounds"));
  EXPECT_EQ(reshape.run({6, 1}), "6x1: -1 -2 -3 -4 -5 -6");
}

TEST(DataSizes, WhatNothingBoundsAsksForALimit) {
  for (const std::string op : {"Expand", "Tile"}) {
    const auto graph = imported(model_of(op, 2), {});
    ASSERT_FALSE(graph.has_value());
    EXPECT_EQ(graph.error().code, Code::unsupported);
    EXPECT_THAT(graph.error().message, HasSubstr("--max n=N"));
  }
}

TEST(DataSizes, ALimitHoldsForEachSize) {
  Runner expand = runner("Expand", 3, {{"n", 4}});
  EXPECT_EQ(expand.run({1, 1, 1}), "1x2x3: -1 -2 -3 -4 -5 -6");
  EXPECT_EQ(expand.run({4, 2, 1}), "4x2x3: -1 -2 -3 -4 -5 -6");
  EXPECT_EQ(expand.run({0, 2, 3}), "0x2x3:");
  EXPECT_THAT(expand.run({5, 1, 1}), HasSubstr("outside its bounds"));
  EXPECT_THAT(expand.run({1, 4, 1}), HasSubstr("Expand 'n'"));
  Runner tile = runner("Tile", 2, {{"n", 2}});
  EXPECT_EQ(tile.run({1, 2}), "2x6: -1 -2 -3 -1 -2 -3");
  Runner pad = runner("Pad", 4, {{"n", 2}});
  EXPECT_EQ(pad.run({0, 1, 0, -2}), "2x2: -0 -1 -0 -4");
  EXPECT_THAT(pad.run({-2, 0, -1, 0}), HasSubstr("Pad 'n'"));
}

TEST(DataSizes, ALimitNeedsANodeThatTakesASizeFromData) {
  for (const std::string node : {"m", "y"}) {
    const auto graph = imported(model_of("Reshape", 2), {{node, 4}});
    ASSERT_FALSE(graph.has_value());
    EXPECT_EQ(graph.error().code, Code::invalid_argument);
    EXPECT_THAT(graph.error().message, HasSubstr(fmt::format("'{}'", node)));
  }
}

}  // namespace
}  // namespace memline

// Sizes that a model computes itself, from the shapes of its inputs: in integers and in f32.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graph/bounds.h"
#include "support/graph_check.h"

namespace memline {
namespace {

// What detectors do with a picture: the shorter side becomes 800 unless the longer one would pass 1333, then both are
// padded to multiples of 32.
constexpr std::string_view kDetectorResize = R"(
  slot h min=320 opt=480 max=1333
  slot w min=320 opt=640 max=1333
  x = Input() f32[1,3,h,w]
  from = Constant() i64[1] {2}
  to = Constant() i64[1] {4}
  k800 = Constant() f32[1] {800}
  k1333 = Constant() f32[1] {1333}
  k32 = Constant() f32[1] {32}
  head = Constant() i64[2] {1, 3}
  s = Shape(x)
  hw = Slice(s, from, to)
  shorter = ReduceMin(hw) keepdims=true
  longer = ReduceMax(hw) keepdims=true
  f1 = Cast(shorter) to=f32
  f2 = Cast(longer) to=f32
  r1 = Reciprocal(f1)
  r2 = Reciprocal(f2)
  a = Mul(r1, k800)
  b = Mul(r2, k1333)
  scale = Min(a, b)
  fhw = Cast(hw) to=f32
  real = Mul(fhw, scale)
  inside = Floor(real)
  sizes = Cast(inside) to=i64
  again = Cast(sizes) to=f32
  steps = Div(again, k32)
  up = Ceil(steps)
  padded = Mul(up, k32)
  last = Cast(padded) to=i64
  all = Concat(head, sizes) axis=0
  y = Resize(x, _, _, all) mode="nearest"
  )";

int64_t inside_size(int64_t extent, int64_t h, int64_t w) {
  const float a = 1.0f / static_cast<float>(std::min(h, w)) * 800.0f;
  const float b = 1.0f / static_cast<float>(std::max(h, w)) * 1333.0f;
  return static_cast<int64_t>(std::floor(static_cast<float>(extent) * std::min(a, b)));
}

TEST(ShapeArithmetic, FollowsFloatsInTheOrderOfTheGraph) {
  const Graph graph = test::parse(std::string(kDetectorResize) + "Output(y)");
  const std::vector<DimExpr>& dims = graph.value(graph.outputs()[0]).type.dims;
  for (int64_t h = 320; h <= 1333; h += 11)
    for (int64_t w = 320; w <= 1333; w += 13) {
      const int64_t slots[] = {h, w};
      ASSERT_EQ(dims[2].evaluate(slots), inside_size(h, h, w)) << h << "x" << w;
      ASSERT_EQ(dims[3].evaluate(slots), inside_size(w, h, w)) << h << "x" << w;
    }
}

TEST(ShapeArithmetic, BoundsAnAreaByTheSidesThatGoTogether) {
  const Graph graph = test::parse(std::string(kDetectorResize) + "Output(y)");
  const std::vector<DimExpr>& dims = graph.value(graph.outputs()[0]).type.dims;
  const SlotBounds bounds = graph.slot_bounds();
  // A bound is found to 2 %.
  EXPECT_GE(bounds.maximum(dims[2]), 1333);
  EXPECT_LE(bounds.maximum(dims[2]), 1.02 * 1333);
  const int64_t area = bounds.maximum(dims[2] * dims[3]);
  EXPECT_GE(area, 800 * 1333);
  EXPECT_LE(area, 1.02 * 800 * 1333);
}

TEST(ShapeArithmetic, AFloatThatWasRoundedStaysTheInteger) {
  const Graph graph = test::parse(std::string(kDetectorResize) + "Output(sizes, last)");
  const auto value = [&](size_t output) { return (*graph.value(graph.outputs()[output]).integers)[0]; };
  EXPECT_THAT(value(0).text(), testing::StartsWith("floor("));
  const int64_t slots[] = {480, 640};
  EXPECT_EQ(value(1).evaluate(slots), (inside_size(480, 480, 640) + 31) / 32 * 32);
}

// An expression past the limit becomes a slot, but what it has in common with another still counts.
TEST(ShapeArithmetic, BoundsLookThroughSlotsThatStandForExpressions) {
  SlotBounds bounds;
  const DimExpr s0 = DimExpr::slot(0), s1 = DimExpr::slot(1), s2 = DimExpr::slot(2);
  bounds.add({1, 100}, std::nullopt);
  bounds.add({0, 99}, s0 - 1);
  bounds.add({0, 99}, 100 - s0);
  EXPECT_LE(bounds.maximum(s1 * s2), 1.02 * 2451);
  EXPECT_GE(bounds.maximum(s1 * s2), 2450);
}

}  // namespace
}  // namespace memline

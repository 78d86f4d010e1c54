// Shapes drawn at random meet range and conditions, come by seed, and none is likelier than another.
#include "runtime/shape_source.h"

#include <map>

#include "runtime/session_fixture.h"

namespace memline::runtime {
namespace {

// image[n, h, w] and mask[h', w']: h and w multiples of 8, the mask as large as the picture.
engine::Program picture_program() {
  ProgramBuilder b;
  const DimExpr n = b.slot("image.batch", {1, 2}, 0, 0), h = b.slot("image.height", {8, 32}, 0, 1),
                w = b.slot("image.width", {8, 32}, 0, 2);
  const DimExpr mask_h = b.slot("mask.height", {1, 64}, 1, 0), mask_w = b.slot("mask.width", {1, 64}, 1, 1);
  b.input("image", {DType::f32, {n, h, w}});
  b.input("mask", {DType::f32, {mask_h, mask_w}});
  b.condition(mod(h, 8), 0, "Concat 'up'");
  b.condition(mod(w, 8), 0, "Concat 'up'");
  b.condition(h, mask_h, "Mul 'masked'");
  b.condition(w, mask_w, "Mul 'masked'");
  return b.take();
}

std::vector<std::vector<int64_t>> draw(const engine::Program& program, uint64_t seed, int count) {
  auto source = ShapeSource::create(program, seed);
  EXPECT_TRUE(source) << (source ? "" : source.error().message);
  std::vector<std::vector<int64_t>> shapes;
  for (int i = 0; i < count; ++i) {
    EXPECT_TRUE(source->next());
    std::vector<int64_t>& shape = shapes.emplace_back();
    for (size_t input = 0; input < program.inputs.size(); ++input)
      shape.insert(shape.end(), source->dims(input).begin(), source->dims(input).end());
  }
  return shapes;
}

TEST(ShapeSource, ShapesMeetRangesAndConditions) {
  const engine::Program program = picture_program();
  for (const auto& shape : draw(program, 7, 500)) {
    EXPECT_TRUE(shape[0] == 1 || shape[0] == 2);
    EXPECT_TRUE(shape[1] % 8 == 0 && shape[1] >= 8 && shape[1] <= 32) << shape[1];
    EXPECT_TRUE(shape[2] % 8 == 0 && shape[2] >= 8 && shape[2] <= 32) << shape[2];
    EXPECT_EQ(shape[3], shape[1]);
    EXPECT_EQ(shape[4], shape[2]);
  }
}

TEST(ShapeSource, TheSeedDecides) {
  const engine::Program program = picture_program();
  EXPECT_EQ(draw(program, 1, 20), draw(program, 1, 20));
  EXPECT_NE(draw(program, 1, 20), draw(program, 2, 20));
}

TEST(ShapeSource, NoShapeIsLikelierThanAnother) {
  std::map<std::vector<int64_t>, int> counts;
  for (auto& shape : draw(picture_program(), 3, 32000)) ++counts[shape];
  ASSERT_EQ(counts.size(), 32u);                                            // 2 batches, 4 heights, 4 widths
  for (const auto& [shape, count] : counts) EXPECT_NEAR(count, 1000, 160);  // five standard deviations
}

TEST(ShapeSource, ConditionsOnWhatAStepComputesFirstCountToo) {
  ProgramBuilder b;
  const DimExpr n = b.slot("x.batch", {1, 100}, 0, 0), half = b.slot("half", {0, 50});
  b.input("x", {DType::f32, {n}});
  b.add({.kind = engine::StepKind::host_eval, .name = "extents", .assigns = {{1, floor_div(n, 2)}}});
  b.condition(half, 21, "Reshape 'halves'");
  for (const auto& shape : draw(b.program(), 5, 50)) EXPECT_TRUE(shape[0] == 42 || shape[0] == 43) << shape[0];
}

TEST(ShapeSource, WhatOnlyAStepFindsOutIsNoCondition) {
  ProgramBuilder b;
  const DimExpr n = b.slot("x.batch", {1, 4}, 0, 0), count = b.slot("count", {0, 4});
  b.input("x", {DType::f32, {n}});
  b.condition(count, n, "Add 'late'");
  EXPECT_EQ(draw(b.program(), 5, 5).size(), 5u);
}

TEST(ShapeSource, AFixedShapeIsDrawnAgainAndAgain) {
  ProgramBuilder b;
  b.input("x", {DType::f32, {2, 3}});
  EXPECT_EQ(draw(b.program(), 5, 2), (std::vector<std::vector<int64_t>>{{2, 3}, {2, 3}}));
}

TEST(ShapeSource, ConditionsThatNothingMeetsAreAnError) {
  ProgramBuilder alone, tied;
  alone.input("x", {DType::f32, {alone.slot("x.batch", {1, 31}, 0, 0)}});
  alone.condition(mod(DimExpr::slot(0), 32), 0, "Concat 'up'");
  const auto refused = ShapeSource::create(alone.program(), 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "no_such_shape");
  EXPECT_EQ(refused.error().message, "no extent 'x.batch' from 1 to 31 meets what Concat 'up' demands");

  const DimExpr a = tied.slot("a", {1, 4}, 0, 0), b = tied.slot("b", {5, 9}, 1, 0);
  tied.input("a", {DType::f32, {a}});
  tied.input("b", {DType::f32, {b}});
  tied.condition(a, b, "Add 'sum'");
  auto source = ShapeSource::create(tied.program(), 1);
  ASSERT_TRUE(source);
  const Status none = source->next();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::invalid_argument);
}

}  // namespace
}  // namespace memline::runtime

// Pad, DepthToSpace and SpaceToDepth: where each element comes from.
#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

Tensor three() { return f32({3}, {1, 2, 3}); }

TEST(Pad, EachModeFillsInItsWay) {
  EXPECT_EQ(run("Pad", "", {three(), list({1, 2})}), f32({6}, {0, 1, 2, 3, 0, 0}));
  EXPECT_EQ(run("Pad", "", {three(), list({1, 0}), f32({}, {9})}), f32({4}, {9, 1, 2, 3}));
  EXPECT_EQ(run("Pad", "mode=\"reflect\"", {three(), list({2, 1})}), f32({6}, {3, 2, 1, 2, 3, 2}));
  EXPECT_EQ(run("Pad", "mode=\"edge\"", {three(), list({2, 1})}), f32({6}, {1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(run("Pad", "mode=\"wrap\"", {three(), list({2, 4})}), f32({9}, {2, 3, 1, 2, 3, 1, 2, 3, 1}));
  EXPECT_EQ(run("Pad", "mode=\"reflect\"", {three(), list({5, 0})}), f32({8}, {2, 1, 2, 3, 2, 1, 2, 3}));
}

TEST(Pad, NegativeNumbersCut) {
  EXPECT_EQ(run("Pad", "", {three(), list({-1, 2})}), f32({4}, {2, 3, 0, 0}));
  EXPECT_EQ(refusal("Pad", "", {three(), list({-2, -2})}), "axis 0 comes out with -1 elements");
}

TEST(Pad, MayNameItsAxes) {
  EXPECT_EQ(run("Pad", "", {f32({1, 2}, {1, 2}), list({1, 0}), absent(), list({-1})}), f32({1, 3}, {0, 1, 2}));
}

TEST(Pad, PadsAndValueWereAttributes) {
  EXPECT_EQ(import_and_run("Pad", 7, {.floats = {{"value", 5}}, .int_lists = {{"pads", {1, 0}}}}, {three()}).value()[0],
            f32({4}, {5, 1, 2, 3}));
}

TEST(Pad, NeedsAnElementToRepeat) {
  EXPECT_EQ(refusal("Pad", "mode=\"edge\"", {f32({0}, {}), list({1, 0})}),
            "axis 0 has no element to repeat (mode edge)");
  EXPECT_EQ(run("Pad", "", {f32({0}, {}), list({1, 1})}), f32({2}, {0, 0}));
}

TEST(Pad, ItsPadsMayBeShapeArithmetic) {
  EXPECT_EQ(infer("Pad", "", {{"f32[1,s0]", ""}, {"i64[4]", "0;0;0;mod(0-s0,32)"}}).types[0],
            TensorType::parse("f32[1,s0+mod(0-s0,32)]").value().text());
  EXPECT_EQ(rows_of("Pad", "", {{"f32[1,s0]", ""}, {"i64[4]", "0;2;0;1"}}, 1, {0, 4}), "1 [-2, 2); all");
}

TEST(DepthToSpace, TheModeSaysWhichAxisOfTheChannelsIsInnermost) {
  const Tensor x = counted(DType::f32, {1, 8, 1, 1});
  EXPECT_EQ(run("DepthToSpace", "blocksize=2", {x}), f32({1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(run("DepthToSpace", "blocksize=2, mode=\"CRD\"", {x}), f32({1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}));
  for (const char* attrs : {"blocksize=2", "blocksize=2, mode=\"CRD\""})
    EXPECT_EQ(run("SpaceToDepth", attrs, {run("DepthToSpace", attrs, {x})}), x) << attrs;
  EXPECT_EQ(rows_of("DepthToSpace", "blocksize=2", {{"f32[1,8,s0,9]", ""}}, 2, {3, 6}), "2 [1, 3)");
  EXPECT_EQ(rows_of("SpaceToDepth", "blocksize=2", {{"f32[1,8,8,9]", ""}}, 2, {3, 6}), "2 [6, 12)");
}

}  // namespace
}  // namespace memline::ops::testing

// Reshape, Flatten, Squeeze, Unsqueeze, Transpose: the same elements under other axes, and when that is a view.
#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

TEST(Reshape, KeepsRowMajorOrder) {
  EXPECT_EQ(run("Reshape", "", {counted(DType::f32, {2, 3}), list({3, 2})}), counted(DType::f32, {3, 2}));
  EXPECT_EQ(run("Reshape", "", {counted(DType::u8, {2, 3}), list({6})}), counted(DType::u8, {6}));
  EXPECT_EQ(run("Reshape", "", {f32({1, 1}, {7}), list({})}), f32({}, {7}));
}

TEST(Reshape, ZeroCopiesAndMinusOneIsTheRest) {
  EXPECT_EQ(run("Reshape", "", {counted(DType::f32, {2, 3, 4}), list({0, -1})}).dims, (std::vector<int64_t>{2, 12}));
  EXPECT_EQ(run("Reshape", "", {counted(DType::f32, {2, 3, 4}), list({-1, 0, 2})}).dims,
            (std::vector<int64_t>{4, 3, 2}));
}

TEST(Reshape, AnEmptyTensorResolvesItsRestToZero) {
  EXPECT_EQ(run("Reshape", "", {f32({0, 4}, {}), list({-1, 2, 3})}).dims, (std::vector<int64_t>{0, 2, 3}));
  EXPECT_EQ(run("Reshape", "allowzero=true", {f32({0, 4}, {}), list({4, 0})}).dims, (std::vector<int64_t>{4, 0}));
}

TEST(Reshape, ShapesThatDoNotFitAreRefused) {
  const Tensor x = counted(DType::f32, {2, 3});
  EXPECT_EQ(refusal("Reshape", "", {x, list({4, 2})}), "f32[2,3] and f32[4,2] hold different numbers of elements");
  EXPECT_EQ(refusal("Reshape", "", {x, list({4, -1})}), "f32[2,3] does not divide into f32[4,1]");
  EXPECT_EQ(refusal("Reshape", "", {x, list({-1, -1})}), "the shape has -1 twice, on axes 0 and 1");
  EXPECT_EQ(refusal("Reshape", "", {x, list({2, 3, 0})}), "the shape copies axis 2, which f32[2,3] does not have");
  EXPECT_EQ(refusal("Reshape", "allowzero=true", {x, list({0, -1})}), "the shape has both -1 and an extent of 0");
  EXPECT_EQ(refusal("Reshape", "", {x, list({-2, -3})}), "the shape has the extent -2 on axis 0");
}

TEST(Reshape, DynamicExtentsCancelBeforeTheRestIsDivided) {
  EXPECT_EQ(infer("Reshape", "", {{"f32[s0,255,20,20]", ""}, {"i64[3]", "0;-1;85"}}).types[0], "f32[s0,1200,85]");
  EXPECT_EQ(infer("Reshape", "", {{"f32[s0,3,s1]", ""}, {"i64[2]", "s0;-1"}}).types[0],
            TensorType::parse("f32[s0,s1*3]").value().text());
  const Inference unsure = infer("Reshape", "", {{"f32[s0,6]", ""}, {"i64[2]", "-1;4"}});
  ASSERT_EQ(unsure.conditions.size(), 1u);
  const int64_t two = 2, three = 3;
  EXPECT_NE(DimExpr::parse(unsure.conditions[0]).value().evaluate(&two), 0);
  EXPECT_EQ(DimExpr::parse(unsure.conditions[0]).value().evaluate(&three), 0);
}

TEST(Reshape, AShapeComputedFromDataIsUnsupported) {
  EXPECT_EQ(infer("Reshape", "", {{"f32[2,3]", ""}, {"i64[2]", ""}}).error,
            "the shape (input 1) is computed from data at run time");
}

TEST(Reshape, IsAViewWhereStridesCanSayIt) {
  EXPECT_EQ(view_of("Reshape", "", {{"f32[2,3,4]", ""}, {"i64[2]", "6;4"}}), "0 [4, 1]");
  EXPECT_EQ(view_of("Reshape", "", {{"f32[2,12]", ""}, {"i64[3]", "2;3;4"}}), "0 [12, 4, 1]");
  EXPECT_EQ(view_of("Reshape", "", {{"f32[6,4]", ""}, {"i64[3]", "2;3;4"}}), "0 [12, 4, 1]");
  EXPECT_EQ(view_of("Reshape", "", {{"f32[s0,3,4]", ""}, {"i64[2]", "0;-1"}}), "0 [12, 1]");
}

TEST(Reshape, MergesPixelsOfChannelsLastPicturesButNotTheirChannels) {
  // [2, 3, 4, 5] lying as [2, 4, 5, 3]: strides 60, 1, 15, 3.
  EXPECT_EQ(view_of("Reshape", "", {{"f32[2,3,4,5]", ""}, {"i64[3]", "2;3;20"}}, "0231"), "0 [60, 1, 3]");
  EXPECT_EQ(view_of("Reshape", "", {{"f32[2,3,4,5]", ""}, {"i64[2]", "2;60"}}, "0231"), "");
  EXPECT_EQ(view_of("Reshape", "", {{"f32[2,6,4,5]", ""}, {"i64[5]", "2;2;3;4;5"}}, "0231"), "0 [120, 3, 1, 30, 6]");
}

TEST(Reshape, RowsOfAxesThatStayAreRows) {
  const std::vector<Symbolic> inputs = {{"f32[2,3,4,5]", ""}, {"i64[4]", "2;1;3;20"}};
  EXPECT_EQ(rows_of("Reshape", "", inputs, 0, {1, 2}), "0 [1, 2); all");
  EXPECT_EQ(rows_of("Reshape", "", inputs, 2, {1, 2}), "1 [1, 2); all");
  EXPECT_EQ(rows_of("Reshape", "", inputs, 3, {1, 2}), "all; all");
}

TEST(Flatten, MakesAMatrix) {
  EXPECT_EQ(run("Flatten", "", {counted(DType::f32, {2, 3, 4})}), counted(DType::f32, {2, 12}));
  EXPECT_EQ(run("Flatten", "axis=0", {counted(DType::f32, {2, 3})}), counted(DType::f32, {1, 6}));
  EXPECT_EQ(run("Flatten", "axis=-1", {counted(DType::f32, {2, 3, 4})}), counted(DType::f32, {6, 4}));
  EXPECT_EQ(run("Flatten", "axis=2", {counted(DType::f32, {2, 3})}), counted(DType::f32, {6, 1}));
  EXPECT_EQ(refusal("Flatten", "axis=3", {counted(DType::f32, {2, 3})}), "axis 3 is outside [-2, 2]");
  EXPECT_EQ(view_of("Flatten", "", {{"f32[s0,64,1,1]", ""}}, "0231"), "0 [64, 1]") << "a pooled picture, channels last";
}

TEST(Squeeze, RemovesTheAxesItNamesOrAllOfExtentOne) {
  const Tensor x = counted(DType::f32, {1, 3, 1, 2});
  EXPECT_EQ(run("Squeeze", "", {x, list({0})}), counted(DType::f32, {3, 1, 2}));
  EXPECT_EQ(run("Squeeze", "", {x, list({-2, 0})}), counted(DType::f32, {3, 2}));
  EXPECT_EQ(run("Squeeze", "", {x}), counted(DType::f32, {3, 2}));
  EXPECT_EQ(refusal("Squeeze", "", {x, list({1})}), "axis 1 of f32[1,3,1,2] is removed: 3 and 1 differ");
  EXPECT_EQ(import_and_run("Squeeze", 11, {.int_lists = {{"axes", {2}}}}, {x}).value()[0],
            counted(DType::f32, {1, 3, 2}));
}

TEST(Squeeze, AnExtentThatMustBeOneIsACondition) {
  EXPECT_EQ(infer("Squeeze", "", {{"f32[s0,3]", ""}, {"i64[1]", "0"}}).conditions.size(), 1u);
  EXPECT_NE(infer("Squeeze", "", {{"f32[s0,3]", ""}}).error, "");
  EXPECT_EQ(infer("Squeeze", "", {{"i64[1]", "s0"}, {"i64[1]", "0"}}).integers, "s0");
}

TEST(Unsqueeze, InsertsAxesCountedInTheResult) {
  const Tensor x = counted(DType::f32, {2, 3});
  EXPECT_EQ(run("Unsqueeze", "", {x, list({0, 3})}), counted(DType::f32, {1, 2, 3, 1}));
  EXPECT_EQ(run("Unsqueeze", "", {x, list({-1, 1})}), counted(DType::f32, {2, 1, 3, 1}));
  EXPECT_EQ(refusal("Unsqueeze", "", {x, list({0, 0})}), "axes names axis 0 twice");
  EXPECT_EQ(import_and_run("Unsqueeze", 11, {.int_lists = {{"axes", {1}}}}, {x}).value()[0],
            counted(DType::f32, {2, 1, 3}));
  EXPECT_EQ(view_of("Unsqueeze", "", {{"f32[s0,s1]", ""}, {"i64[1]", "1"}}), "0 [s1, 1, 1]");
}

TEST(Transpose, PermutesAxes) {
  EXPECT_EQ(run("Transpose", "", {counted(DType::f32, {2, 3})}), f32({3, 2}, {0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(run("Transpose", "perm=[1,2,0]", {counted(DType::i32, {2, 1, 3})}),
            tensor(DType::i32, {1, 3, 2}, {0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(run("Transpose", "", {f32({}, {4})}), f32({}, {4}));
  EXPECT_EQ(refusal("Transpose", "perm=[0]", {counted(DType::f32, {2, 3})}), "perm has 1 axes, the input is f32[2,3]");
  EXPECT_EQ(refusal("Transpose", "perm=[0,0]", {counted(DType::f32, {2, 3})}), "perm names axis 0 twice");
  EXPECT_EQ(infer("Transpose", "", {{"i64[2,2]", "s0;s1;s2;s3"}}).integers, "s0; s2; s1; s3");
}

TEST(Transpose, MovesNothing) {
  EXPECT_EQ(view_of("Transpose", "perm=[0,2,3,1]", {{"f32[s0,3,4,5]", ""}}), "0 [60, 5, 1, 20]");
  EXPECT_EQ(rows_of("Transpose", "perm=[0,2,3,1]", {{"f32[2,3,4,5]", ""}}, 1, {2, 3}), "2 [2, 3)");
}

}  // namespace
}  // namespace memline::ops::testing

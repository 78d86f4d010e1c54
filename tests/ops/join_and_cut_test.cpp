// Concat, Split, Slice, Expand, Tile: parts of tensors, and when they are views.
#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

TEST(Concat, PutsInputsBehindEachOther) {
  const Tensor a = f32({1, 2}, {1, 2}), b = f32({2, 2}, {3, 4, 5, 6});
  EXPECT_EQ(run("Concat", "axis=0", {a, b}), f32({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(run("Concat", "axis=-1", {b, f32({2, 1}, {7, 8}), b}), f32({2, 5}, {3, 4, 7, 3, 4, 5, 6, 8, 5, 6}));
  EXPECT_EQ(run("Concat", "axis=0", {a, f32({0, 2}, {})}), a) << "an empty part adds nothing";
  EXPECT_EQ(refusal("Concat", "axis=0", {a, f32({1, 3}, {1, 2, 3})}), "axis 1 of inputs 0 and 1: 2 and 3 differ");
  EXPECT_EQ(refusal("Concat", "axis=0", {a, f32({2}, {1, 2})}), "input 1 is f32[2], input 0 is f32[1,2]: ranks differ");
  EXPECT_EQ(import_and_run("Concat", 13, {}, {a, b}).error().message, "attribute 'axis' is missing");
}

TEST(Concat, InputsLieInsideTheOutput) {
  const std::vector<Symbolic> inputs = {{"f32[1,16,s0,s1]", ""}, {"f32[1,24,s0,s1]", ""}};
  const std::string type = "f32[1,40,s0,s1]";
  const DimExpr plane = DimExpr::parse("s0*s1").value();
  EXPECT_EQ(input_view_of("Concat", "axis=1", inputs, 1, type),
            fmt::format("{} [{}, {}, s1, 1]", (plane * 16).text(), (plane * 40).text(), plane.text()));
  EXPECT_EQ(rows_of("Concat", "axis=1", inputs, 2, {4, 8}), "2 [4, 8); 2 [4, 8)");
  EXPECT_EQ(rows_of("Concat", "axis=1", inputs, 1, {4, 8}), "all; all");
}

TEST(Concat, ExtentsThatMayDifferAreConditionsAndNumbersWin) {
  const Inference result = infer("Concat", "axis=1", {{"f32[s0,2]", ""}, {"f32[4,3]", ""}});
  EXPECT_EQ(result.types[0], "f32[4,5]");
  EXPECT_EQ(result.conditions.size(), 1u);
  EXPECT_EQ(infer("Concat", "axis=0", {{"i64[1]", "s0"}, {"i64[2]", "3;s1"}}).integers, "s0; 3; s1");
}

std::vector<Tensor> parts(std::string_view attrs, const std::vector<Tensor>& inputs, size_t outputs) {
  return run_all("Split", attrs, inputs, outputs).value();
}

TEST(Split, CutsIntoGivenOrEqualSizes) {
  const Tensor x = counted(DType::f32, {2, 6});
  EXPECT_EQ(parts("axis=1", {x, list({2, 4})}, 2),
            (std::vector<Tensor>{f32({2, 2}, {0, 1, 6, 7}), f32({2, 4}, {2, 3, 4, 5, 8, 9, 10, 11})}));
  EXPECT_EQ(parts("axis=-1", {x}, 3)[2], f32({2, 2}, {4, 5, 10, 11}));
  EXPECT_EQ(refusal("Split", "axis=1", {x}, 4), "an extent of 6 does not divide into 4 equal parts");
  EXPECT_EQ(refusal("Split", "axis=1", {x, list({2, 3})}, 2),
            "the sum of the sizes and the input's extent: 5 and 6 differ");
  EXPECT_EQ(refusal("Split", "axis=1", {x, list({6})}, 2), "there are 1 sizes and 2 outputs");
  EXPECT_EQ(import_and_run("Split", 11, {.ints = {{"axis", 1}}, .int_lists = {{"split", {1, 5}}}}, {x}, 2).value()[0],
            f32({2, 1}, {0, 6}));
}

TEST(Split, FromOpset18TheLastPartsMayBeSmaller) {
  const Tensor x = counted(DType::f32, {7});
  const auto seven = import_and_run("Split", 18, {.ints = {{"num_outputs", 3}}}, {x}, 3).value();
  EXPECT_EQ(seven[0].values.size(), 3u);
  EXPECT_EQ(seven[2], f32({1}, {6}));
  EXPECT_EQ(import_and_run("Split", 18, {.ints = {{"num_outputs", 2}}}, {x}, 3).error().message,
            "num_outputs is 2, the node has 3 outputs");
}

TEST(Split, PartsAreViews) {
  EXPECT_EQ(view_of("Split", "axis=1", {{"f32[1,6,4,4]", ""}}, "", 2, 3), "64 [96, 16, 4, 1]");
  EXPECT_EQ(view_of("Split", "axis=1", {{"f32[1,6,4,4]", ""}}, "0231", 2, 3), "4 [96, 1, 24, 6]");
}

TEST(Slice, StartsEndsAxesAndSteps) {
  const Tensor x = counted(DType::f32, {3, 4});
  EXPECT_EQ(run("Slice", "", {x, list({1, 0}), list({3, 3}), list({0, 1}), list({1, 2})}), f32({2, 2}, {4, 6, 8, 10}));
  EXPECT_EQ(run("Slice", "", {x, list({1}), list({1000})}), f32({2, 4}, {4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(run("Slice", "", {x, list({-2}), list({-1}), list({-1})}), f32({3, 1}, {2, 6, 10}));
  EXPECT_EQ(run("Slice", "", {x, list({2}), list({1}), list({0})}).dims, (std::vector<int64_t>{0, 4}));
  EXPECT_EQ(run("Slice", "", {x, list({9}), list({12}), list({1})}).dims, (std::vector<int64_t>{3, 0}));
}

TEST(Slice, NegativeStepsWalkBackwards) {
  const Tensor x = counted(DType::i32, {5});
  const Tensor axis = list({0});
  EXPECT_EQ(run("Slice", "", {x, list({-1}), list({-9223372036854775808.0}), axis, list({-1})}),
            tensor(DType::i32, {5}, {4, 3, 2, 1, 0}));
  EXPECT_EQ(run("Slice", "", {x, list({10}), list({0}), axis, list({-2})}), tensor(DType::i32, {2}, {4, 2}));
  EXPECT_EQ(run("Slice", "", {x, list({1}), list({3}), axis, list({-1})}).dims, (std::vector<int64_t>{0}));
}

TEST(Slice, BeforeOpset10EverythingIsAnAttribute) {
  const Attributes attributes = {.int_lists = {{"starts", {0, 1}}, {"ends", {-1, 3}}}};
  EXPECT_EQ(import_and_run("Slice", 9, attributes, {counted(DType::f32, {2, 4})}).value()[0], f32({1, 2}, {1, 2}));
}

TEST(Slice, Refusals) {
  const Tensor x = counted(DType::f32, {3, 4});
  EXPECT_EQ(refusal("Slice", "", {x, list({0}), list({1}), list({0}), list({0})}), "the step on axis 0 is 0");
  EXPECT_EQ(refusal("Slice", "", {x, list({0}), list({1}), list({2})}), "axes 2 is outside [-2, 2)");
  EXPECT_EQ(refusal("Slice", "", {x, list({0}), list({1}), list({0, 1})}),
            "1 starts, 2 axes and 1 steps: needs as many of each");
}

TEST(Slice, ExtentsOfDynamicAxesAreExact) {
  const auto extent = [](const char* start, const char* end, int64_t size, const char* step = "1") {
    const Inference result =
        infer("Slice", "", {{"f32[s0]", ""}, {"i64[1]", start}, {"i64[1]", end}, {"i64[1]", "0"}, {"i64[1]", step}});
    const std::string text = result.types.at(0);
    return DimExpr::parse(text.substr(4, text.size() - 5)).value().evaluate(&size);
  };
  for (const int64_t n : {0, 1, 2, 5, 9}) {
    SCOPED_TRACE(n);
    EXPECT_EQ(extent("0", "9223372036854775807", n), n);
    EXPECT_EQ(extent("1", "2147483647", n), std::max<int64_t>(0, n - 1));
    EXPECT_EQ(extent("0", "-1", n), std::max<int64_t>(0, n - 1));
    EXPECT_EQ(extent("-3", "9223372036854775807", n), std::min<int64_t>(3, n));
    EXPECT_EQ(extent("1", "4", n), std::max<int64_t>(0, std::min<int64_t>(4, n) - 1));
    EXPECT_EQ(extent("0", "s0", n, "2"), (n + 1) / 2);
    EXPECT_EQ(extent("-1", "-9223372036854775807", n, "-1"), n);
  }
  EXPECT_EQ(infer("Slice", "", {{"f32[s0,4]", ""}, {"i64[1]", "0"}, {"i64[1]", "9223372036854775807"}, {"i64[1]", "0"}})
                .types[0],
            "f32[s0,4]");
}

TEST(Slice, BoundsComputedFromDataGiveACount) {
  EXPECT_EQ(infer("Slice", "", {{"f32[100,4]", ""}, {"i64[1]", ""}, {"i64[1]", ""}, {"i64[1]", "0"}}).types[0],
            "f32[s8,4]");
}

TEST(Slice, IsAViewUnlessItLeavesTheInnermostStride) {
  const auto view = [](const char* start, const char* end, const char* axis, const char* step, const char* order = "") {
    return view_of("Slice", "",
                   {{"f32[1,8,4,4]", ""}, {"i64[1]", start}, {"i64[1]", end}, {"i64[1]", axis}, {"i64[1]", step}},
                   order);
  };
  EXPECT_EQ(view("2", "6", "1", "1"), "32 [128, 16, 4, 1]");
  EXPECT_EQ(view("2", "6", "1", "1", "0231"), "2 [128, 1, 32, 8]");
  EXPECT_EQ(view("1", "4", "2", "2"), "4 [128, 16, 8, 1]");
  EXPECT_EQ(view("1", "4", "3", "2"), "") << "stride 2 on the last axis in memory";
  EXPECT_EQ(view("1", "4", "3", "2", "0231"), "8 [128, 1, 32, 16]");
  EXPECT_EQ(view("4", "0", "1", "-1"), "") << "backwards";
}

TEST(Slice, ShapeArithmetic) {
  EXPECT_EQ(infer("Slice", "", {{"i64[4]", "s0;3;s1;s2"}, {"i64[1]", "2"}, {"i64[1]", "4"}}).integers, "s1; s2");
}

TEST(Expand, RepeatsExtentsOfOne) {
  EXPECT_EQ(run("Expand", "", {f32({3, 1}, {1, 2, 3}), list({2, 1, 2})}),
            f32({2, 3, 2}, {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(run("Expand", "", {f32({2}, {1, 2}), list({1})}), f32({2}, {1, 2}));
  EXPECT_NE(refusal("Expand", "", {f32({2}, {1, 2}), list({3})}), "");
  EXPECT_EQ(infer("Expand", "", {{"f32[1,4]", ""}, {"i64[2]", "s0;4"}}).types[0], "f32[s0,4]");
  EXPECT_EQ(infer("Expand", "", {{"i64[1]", "s0"}, {"i64[1]", "3"}}).integers, "s0; s0; s0");
}

TEST(Expand, IsAViewOnlyWhereNothingIsRepeated) {
  EXPECT_EQ(view_of("Expand", "", {{"f32[3,4]", ""}, {"i64[2]", "1;4"}}), "0 [4, 1]");
  EXPECT_EQ(view_of("Expand", "", {{"f32[1,4]", ""}, {"i64[2]", "3;4"}}), "");
  EXPECT_EQ(view_of("Expand", "", {{"f32[3,4]", ""}, {"i64[3]", "1;3;4"}}), "");
}

TEST(Tile, RepeatsWholeTiles) {
  EXPECT_EQ(run("Tile", "", {f32({2, 2}, {1, 2, 3, 4}), list({1, 2})}), f32({2, 4}, {1, 2, 1, 2, 3, 4, 3, 4}));
  EXPECT_EQ(run("Tile", "", {f32({2}, {1, 2}), list({3})}), f32({6}, {1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(run("Tile", "", {f32({2}, {1, 2}), list({0})}).dims, (std::vector<int64_t>{0}));
  EXPECT_EQ(refusal("Tile", "", {f32({2}, {1, 2}), list({1, 2})}), "2 repeats for the input f32[2]");
}

}  // namespace
}  // namespace memline::ops::testing

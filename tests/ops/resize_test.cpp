// Resize and Upsample: ties, fractions, policies, and what every version of the op means.
#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

Tensor sizes(std::vector<double> values) { return list(std::move(values)); }
Tensor scales(std::vector<double> values) { return f32({static_cast<int64_t>(values.size())}, values); }
Tensor row(int64_t n) { return counted(DType::f32, {n}); }

TEST(Resize, NearestTiesAreTakenInExactFractions) {
  // (o + 1/2) * 20/6 - 1/2 for o = 1 and 4 is 4.5 and 14.5
  const std::string mode = "mode=\"nearest\", nearest_mode=";
  EXPECT_EQ(run("Resize", mode + "\"round_prefer_ceil\"", {row(20), absent(), absent(), sizes({6})}),
            f32({6}, {1, 5, 8, 11, 15, 18}));
  EXPECT_EQ(run("Resize", mode + "\"round_prefer_floor\"", {row(20), absent(), absent(), sizes({6})}),
            f32({6}, {1, 4, 8, 11, 14, 18}));
  // A scale that is 6/20 in f32 means 6/20.
  EXPECT_EQ(run("Resize", mode + "\"round_prefer_ceil\"", {row(20), absent(), scales({0.3f})}),
            f32({6}, {1, 5, 8, 11, 15, 18}));
}

TEST(Resize, AlignCornersDividesByALengthThatMayBeAFraction) {
  const Tensor y = run("Resize", "mode=\"linear\", coordinate_transformation_mode=\"align_corners\"",
                       {f32({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), absent(), scales({1, 1, 0.6f, 0.6f})});
  expect_near(y, f32({1, 1, 1, 2}, {1, 22.0 / 7}), 1e-6, 0);  // ONNX's node test of that name
}

// A line of slope 1 gives the coordinates themselves. 1333/480 is no exact number.
TEST(Resize, CoordinatesOfInterpolationAreTakenInF32) {
  const Tensor y = run("Resize", "mode=\"linear\"", {row(480), absent(), absent(), sizes({1333})});
  const float scale = 1333.0f / 480.0f;
  for (int o = 2; o < 1331; ++o)
    ASSERT_EQ(static_cast<float>(y.values[static_cast<size_t>(o)]), (static_cast<float>(o) + 0.5f) / scale - 0.5f) << o;
}

TEST(Resize, AnAxisThatKeepsItsExtentIsNotResampled) {
  const Tensor y = run("Resize", "coordinate_transformation_mode=\"tf_half_pixel_for_nn\", nearest_mode=\"ceil\"",
                       {counted(DType::f32, {2, 2}), absent(), absent(), sizes({2, 4})});
  EXPECT_EQ(y, f32({2, 4}, {1, 1, 1, 1, 3, 3, 3, 3}));
}

TEST(Resize, KeepsTheAspectRatioInWholeNumbers) {
  const std::string attrs = "mode=\"linear\", axes=[2,3], keep_aspect_ratio_policy=";
  const Tensor x = counted(DType::f32, {1, 1, 7, 5});
  EXPECT_EQ(run("Resize", attrs + "\"not_larger\"", {x, absent(), absent(), sizes({6, 6})}).dims,
            (std::vector<int64_t>{1, 1, 6, 4}));
  EXPECT_EQ(run("Resize", attrs + "\"not_smaller\"", {x, absent(), absent(), sizes({6, 6})}).dims,
            (std::vector<int64_t>{1, 1, 8, 6}));
}

TEST(Resize, PicturesAreRoundedAndSaturated) {
  // At 1/4 between 0 and 255 the kernel weighs 0.2266: 57.8. At 1/4 between two 255s it gives 1.14 * 255.
  const Tensor x = tensor(DType::u8, {4}, {0, 255, 255, 0});
  EXPECT_EQ(run("Resize", "mode=\"cubic\"", {x, absent(), absent(), sizes({8})}).values,
            (std::vector<double>{0, 58, 197, 255, 255, 197, 58, 0}));
}

TEST(Resize, OutsideTheCropIsTheExtrapolationValue) {
  EXPECT_EQ(
      run("Resize", "coordinate_transformation_mode=\"tf_crop_and_resize\", extrapolation_value=-1, mode=\"linear\"",
          {row(3), f32({2}, {0.5, 1.5}), absent(), sizes({3})}),
      f32({3}, {1, 2, -1}));
}

TEST(Resize, ExcludeOutsideDropsWeightsInsteadOfRepeatingTheEdge) {
  const Tensor y =
      run("Resize", "mode=\"cubic\", exclude_outside=true", {f32({2}, {0, 1}), absent(), absent(), sizes({1})});
  expect_near(y, f32({1}, {0.5}), 1e-6, 0);
}

TEST(Resize, Version10And11DifferInTheirCoordinates) {
  const Tensor x = f32({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), half = scales({1, 1, 0.6f, 0.6f});
  EXPECT_EQ(import_and_run("Resize", 10, {}, {x, half}).value()[0], f32({1, 1, 1, 2}, {1, 3}));  // ONNX's example
  EXPECT_EQ(import_and_run("Resize", 10, {.strings = {{"mode", "linear"}}}, {row(2), scales({2})}).value()[0],
            f32({4}, {0, 0.5, 1, 1}));
  EXPECT_EQ(
      import_and_run("Resize", 11, {.strings = {{"mode", "linear"}}}, {row(2), scales({}), scales({2})}).value()[0],
      f32({4}, {0, 0.25, 0.75, 1}));
}

TEST(Upsample, TakesScalesAsAttributeOrInput) {
  EXPECT_EQ(import_and_run("Upsample", 7, {.float_lists = {{"scales", {2}}}}, {row(2)}).value()[0],
            f32({4}, {0, 0, 1, 1}));
  EXPECT_EQ(import_and_run("Upsample", 9, {}, {row(2), scales({1.5})}).value()[0], f32({3}, {0, 0, 1}));
}

TEST(Resize, SizesMayBeShapeArithmetic) {
  const auto result = infer("Resize", "mode=\"linear\"",
                            {{"f32[1,8,s0,s1]", ""}, {"f32[0]", ""}, {"f32[0]", ""}, {"i64[4]", "1;8;s0*2;s1"}});
  EXPECT_EQ(result.types[0], "f32[1,8,s0*2,s1]");
  EXPECT_EQ(infer("Resize", "", {{"f32[1,8,s0,s1]", ""}, {"f32[0]", ""}, {"f32[0]", ""}, {"i64[4]", ""}}).error,
            "sizes (input 3) is computed from data at run time");
}

TEST(Resize, NeedsTheRowsThatItsTapsTouch) {
  const std::vector<Symbolic> in = {{"f32[s0,8,10,10]", ""}, {"f32[0]", ""}, {"f32[0]", ""}, {"i64[4]", "s0;8;20;20"}};
  const std::vector<Symbolic> fixed = {{"f32[1,8,10,10]", ""}, {"f32[0]", ""}, {"f32[0]", ""}, {"i64[4]", "1;8;20;20"}};
  EXPECT_EQ(rows_of("Resize", "mode=\"linear\"", fixed, 2, {4, 8}), "2 [1, 5); all; all; all");
  EXPECT_EQ(rows_of("Resize", "mode=\"linear\"", fixed, 2, {0, 2}), "2 [0, 2); all; all; all");
  EXPECT_EQ(rows_of("Resize", "mode=\"linear\"", fixed, 1, {4, 8}), "1 [4, 8); all; all; all");
  EXPECT_EQ(rows_of("Resize", "mode=\"linear\"", in, 2, {4, 8}),
            "all; all; all; all");  // the batch's size is not known
}

TEST(Resize, RefusesWhatContradictsItself) {
  EXPECT_EQ(refusal("Resize", "", {row(2)}), "neither of scales and sizes given, needs one of them");
  EXPECT_EQ(refusal("Resize", "", {row(2), absent(), scales({2}), sizes({4})}),
            "both of scales and sizes given, needs one of them");
  EXPECT_EQ(refusal("Resize", "", {row(2), absent(), scales({2, 2})}), "scales has 2 elements, needs 1");
  EXPECT_EQ(refusal("Resize", "mode=\"bicubic\"", {row(2), absent(), scales({2})}), "mode 'bicubic' is not known");
}

}  // namespace
}  // namespace memline::ops::testing

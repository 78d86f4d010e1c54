// NonMaxSuppression, TopK, RoiAlign, GridSample: what detectors are made of. New counts are slots from s8 on.
#include <cmath>
#include <limits>

#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

Tensor boxes(std::vector<double> corners) { return f32({1, static_cast<int64_t>(corners.size() / 4), 4}, corners); }
Tensor scores(std::vector<double> values) { return f32({1, 1, static_cast<int64_t>(values.size())}, values); }
Tensor number(double value) { return f32({1}, {value}); }

TEST(NonMaxSuppression, KeepsABoxWhoseOverlapIsExactlyTheLimit) {
  // Box 1 shares half of the union with box 0.
  const Tensor b = boxes({0, 0, 1, 2, 0, 0, 1, 1, 0, 0, 1, 2});
  EXPECT_EQ(run("NonMaxSuppression", "", {b, scores({0.9, 0.8, 0.7}), list({9}), number(0.5)}),
            i64({2, 3}, {0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(run("NonMaxSuppression", "", {b, scores({0.9, 0.8, 0.7}), list({9}), number(0.49)}),
            i64({1, 3}, {0, 0, 0}));
}

TEST(NonMaxSuppression, AnyDiagonalIsTheSameBox) {
  const Tensor b = boxes({0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0});
  EXPECT_EQ(run("NonMaxSuppression", "", {b, scores({1, 2, 4, 3}), list({9}), number(0.5)}), i64({1, 3}, {0, 0, 2}));
}

TEST(NonMaxSuppression, EqualScoresGoByIndexAndALowerScoreThanTheThresholdIsLeftOut) {
  const Tensor b = boxes({0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7});
  EXPECT_EQ(run("NonMaxSuppression", "", {b, scores({0.5, 0.25, 0.5, 0.125}), list({9}), number(0.5), number(0.25)}),
            i64({3, 3}, {0, 0, 0, 0, 0, 2, 0, 0, 1}));
  EXPECT_EQ(run("NonMaxSuppression", "", {b, scores({0.5, 0.25, 0.5, 0.125}), list({1}), number(0.5)}),
            i64({1, 3}, {0, 0, 0}));
}

TEST(NonMaxSuppression, GivesNothingUnlessALimitIsGiven) {
  EXPECT_EQ(run("NonMaxSuppression", "", {boxes({0, 0, 1, 1}), scores({1})}), i64({0, 3}, {}));
}

TEST(NonMaxSuppression, CentresAndSizesAreAnotherFormOfBox) {
  const Tensor b = boxes({5, 5, 4, 4, 5, 6, 4, 4, 50, 50, 4, 4});
  EXPECT_EQ(run("NonMaxSuppression", "center_point_box=true", {b, scores({1, 2, 3}), list({9}), number(0.3)}),
            i64({2, 3}, {0, 0, 2, 0, 0, 1}));
}

TEST(NonMaxSuppression, BoundsItsCount) {
  EXPECT_EQ(infer("NonMaxSuppression", "", {{"f32[s0,100,4]", ""}, {"f32[s0,80,100]", ""}, {"i64[1]", "10"}}).types[0],
            "i64[s8,3]");
}

TEST(TopK, EqualValuesComeByIndex) {
  const auto out = run_all("TopK", "", {f32({6}, {1, 3, 2, 3, 3, 2}), list({5})}, 2).value();
  EXPECT_EQ(out[0], f32({5}, {3, 3, 3, 2, 2}));
  EXPECT_EQ(out[1], list({1, 3, 4, 2, 5}));
  EXPECT_EQ(run_all("TopK", "largest=false", {f32({4}, {2, 1, 1, 0}), list({3})}, 2).value()[1], list({3, 1, 2}));
}

TEST(TopK, NanIsTheLargest) {
  const double nan = std::nan("");
  EXPECT_EQ(run_all("TopK", "", {f32({4}, {1, nan, 3, nan}), list({3})}, 2).value()[1], list({1, 3, 2}));
  EXPECT_EQ(run_all("TopK", "largest=false", {f32({3}, {nan, 1, 3}), list({2})}, 2).value()[1], list({1, 2}));
}

TEST(TopK, KIsAnAttributeAnInputOrACount) {
  EXPECT_EQ(import_and_run("TopK", 7, {.ints = {{"k", 1}}}, {f32({3}, {1, 3, 2})}).value()[0], f32({1}, {3}));
  EXPECT_EQ(infer("TopK", "", {{"f32[1,s0]", ""}, {"i64[1]", "min(s0,100)"}}).types[0],
            TensorType::parse("f32[1,min(s0,100)]").value().text());
  EXPECT_TRUE(infer("TopK", "", {{"f32[1,s0]", ""}, {"i64[1]", "min(s0,100)"}}).conditions.empty());
  EXPECT_EQ(infer("TopK", "", {{"f32[1,s0]", ""}, {"i64[1]", "100"}}).conditions.size(), 1u);
  EXPECT_EQ(infer("TopK", "", {{"f32[1,s0]", ""}, {"i64[1]", ""}}).types[0], "f32[1,s8]");
  EXPECT_EQ(refusal("TopK", "", {f32({3}, {1, 3, 2}), list({4})}), "k is 4 but the axis has 3 elements");
}

TEST(RoiAlign, HalfPixelIsTheIdentityAndTheOldMeaningIsShifted) {
  const Tensor x = counted(DType::f32, {1, 1, 3, 3}), r = f32({1, 4}, {0, 0, 3, 3}), b = list({0});
  const std::string size = "output_height=3, output_width=3, sampling_ratio=1";
  EXPECT_EQ(run("RoiAlign", size, {x, r, b}), f32({1, 1, 3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8}));
  const auto old_meaning = import_and_run(
      "RoiAlign", 10, {.ints = {{"output_height", 3}, {"output_width", 3}, {"sampling_ratio", 1}}}, {x, r, b});
  EXPECT_EQ(old_meaning.value()[0], f32({1, 1, 3, 3}, {2, 3, 3.5, 5, 6, 6.5, 6.5, 7.5, 8}));
}

TEST(RoiAlign, ARegionOfNoPictureIsZero) {
  EXPECT_EQ(run("RoiAlign", "", {f32({1, 1, 1, 1}, {5}), f32({2, 4}, {0, 0, 1, 1, 0, 0, 1, 1}), list({0, 7})}),
            f32({2, 1, 1, 1}, {5, 0}));
}

TEST(GridSample, PadsAsItsModeSays) {
  const Tensor x = f32({1, 1, 1, 3}, {10, 20, 40}),
               grid = f32({1, 1, 2, 2}, {-1, 0, 5.0 / 3, 0});  // pixels -0.5 and 3.5
  EXPECT_EQ(run("GridSample", "", {x, grid}), f32({1, 1, 1, 2}, {5, 0}));
  EXPECT_EQ(run("GridSample", "padding_mode=\"border\"", {x, grid}), f32({1, 1, 1, 2}, {10, 40}));
  expect_near(run("GridSample", "padding_mode=\"reflection\"", {x, grid}), f32({1, 1, 1, 2}, {10, 30}), 1e-6, 0);
}

TEST(GridSample, NeverReadsOutsideWhateverTheGridSays) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (const char* padding : {"zeros", "border", "reflection"})
    for (const char* mode : {"linear", "nearest", "cubic"})
      run("GridSample", fmt::format("padding_mode=\"{}\", mode=\"{}\"", padding, mode),
          {counted(DType::f32, {1, 1, 3, 3}), f32({1, 1, 3, 2}, {nan, 0, inf, -inf, 1e30, -1e30})});
}

}  // namespace
}  // namespace memline::ops::testing

#include <cmath>
#include <limits>

#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

TEST(Cast, FloatsBecomeIntegersByTruncation) {
  EXPECT_EQ(run("Cast", "to=i64", {f32({5}, {1.9, -1.9, 0.5, -0.5, 3})}), i64({5}, {1, -1, 0, 0, 3}));
  EXPECT_EQ(run("Cast", "to=u8", {tensor(DType::f16, {2}, {200.5, 3.75})}), tensor(DType::u8, {2}, {200, 3}));
}

TEST(Cast, FloatsOutsideAnIntegersRangeStopAtItsEnds) {
  EXPECT_EQ(run("Cast", "to=i32", {f32({4}, {3e9, -3e9, kInf, kNan})}),
            tensor(DType::i32, {4}, {2147483647, -2147483648.0, 2147483647, 0}));
  EXPECT_EQ(run("Cast", "to=u8", {f32({2}, {-1, 300})}), tensor(DType::u8, {2}, {0, 255}));
}

TEST(Cast, IntegersBecomeNarrowerByDroppingHighBits) {
  EXPECT_EQ(run("Cast", "to=u8", {i64({3}, {256, 257, -1})}), tensor(DType::u8, {3}, {0, 1, 255}));
  EXPECT_EQ(run("Cast", "to=i8", {tensor(DType::i32, {2}, {200, -129})}), tensor(DType::i8, {2}, {-56, 127}));
}

TEST(Cast, WhateverIsNotZeroIsTrue) {
  EXPECT_EQ(run("Cast", "to=bool", {f32({4}, {0, -0.0, 0.25, kNan})}), boolean({4}, {0, 0, 1, 1}));
  EXPECT_EQ(run("Cast", "to=f32", {boolean({2}, {1, 0})}), f32({2}, {1, 0}));
}

TEST(Cast, HalvesRoundOnceToNearestEven) {
  // Half has 11 bits: 2049 lies between 2048 and 2050, 2051 between 2050 and 2052.
  EXPECT_EQ(run("Cast", "to=f16", {f32({4}, {2049, 2051, 65519, 65520})}),
            tensor(DType::f16, {4}, {2048, 2052, 65504, kInf}));
  // A hair above the tie: through f32 it would become the tie and then round down.
  EXPECT_EQ(run("Cast", "to=f16", {tensor(DType::f64, {2}, {2049 + 1e-9, -(2049 + 1e-9)})}),
            tensor(DType::f16, {2}, {2050, -2050}));
  // bf16 has 8 bits: 257 lies between 256 and 258.
  EXPECT_EQ(run("Cast", "to=bf16", {i64({3}, {257, 259, 16842753})}), tensor(DType::bf16, {3}, {256, 260, 16908288}));
}

TEST(Cast, LargeIntegersReachFloatsInOneRounding) {
  EXPECT_EQ(run("Cast", "to=f32", {i64({2}, {16777217, 16777219})}), f32({2}, {16777216, 16777220}));
}

TEST(Cast, TheTypeHasToBeGiven) {
  const auto result = import_and_run("Cast", 13, {}, {f32({1}, {1})});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "attribute 'to' is missing");
  EXPECT_EQ(import_and_run("Cast", 13, {.ints = {{"to", 7}}}, {f32({1}, {2.5})}).value()[0], i64({1}, {2}));
}

TEST(Cast, SizesKeepTheirExpressions) {
  EXPECT_EQ(infer("Cast", "to=i32", {{"i64[2]", "s0;4"}}).integers, "s0; 4");
  EXPECT_EQ(infer("Cast", "to=bool", {{"i64[2]", "0;4"}}).integers, "0; 1");
  EXPECT_EQ(infer("Cast", "to=f32", {{"i64[2]", "s0;4"}}).integers, "");
}

TEST(CastLike, TakesTheTypeOfItsSecondInput) {
  EXPECT_EQ(run("CastLike", "", {f32({2}, {1.5, 2.5}), tensor(DType::i32, {1}, {0})}), tensor(DType::i32, {2}, {1, 2}));
}

}  // namespace
}  // namespace memline::ops::testing

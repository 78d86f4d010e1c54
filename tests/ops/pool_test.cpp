// Pools: which elements count in a window, and where windows may lie.
#include <cmath>
#include <limits>

#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(MaxPool, PaddingIsNoElement) {
  EXPECT_EQ(run("MaxPool", "kernel_shape=[2], pads=[1,1]", {f32({1, 1, 3}, {-5, -6, -7})}),
            f32({1, 1, 4}, {-5, -5, -6, -7}));
}

TEST(MaxPool, CeilModeHangsOverButNeverBeginsInTheEndsPadding) {
  EXPECT_EQ(run("MaxPool", "kernel_shape=[2], strides=[2], ceil_mode=true", {f32({1, 1, 3}, {1, 2, 3})}),
            f32({1, 1, 2}, {2, 3}));
  EXPECT_EQ(
      run("MaxPool", "kernel_shape=[2], strides=[3], pads=[1,1], ceil_mode=true", {f32({1, 1, 4}, {-9, -8, -7, -6})}),
      f32({1, 1, 2}, {-9, -7 + 1}));
}

TEST(MaxPool, NanWinsAndInfinityIsAnElement) {
  const Tensor y = run("MaxPool", "kernel_shape=[2]", {f32({1, 1, 4}, {1, std::nan(""), -kInf, -kInf})});
  EXPECT_TRUE(std::isnan(y.values[0]) && std::isnan(y.values[1]));
  EXPECT_EQ(y.values[2], -kInf);
}

TEST(MaxPool, IndicesNameTheFirstOfEqualsInTheWholeTensor) {
  const Tensor x = f32({2, 1, 2, 3}, {1, 7, 7, 2, 7, 3, 0, 0, 0, 0, 0, 5});
  const auto rows = run_all("MaxPool", "kernel_shape=[2,3]", {x}, 2).value();
  EXPECT_EQ(rows[1], i64({2, 1, 1, 1}, {1, 11}));
  const auto columns = run_all("MaxPool", "kernel_shape=[2,3], storage_order=1", {x}, 2).value();
  EXPECT_EQ(columns[1], i64({2, 1, 1, 1}, {2, 11}));
}

TEST(MaxPool, ValidIgnoresCeilMode) {
  const auto y = import_and_run("MaxPool", 12,
                                {.ints = {{"ceil_mode", 1}},
                                 .strings = {{"auto_pad", "VALID"}},
                                 .int_lists = {{"kernel_shape", {2}}, {"strides", {2}}}},
                                {f32({1, 1, 3}, {1, 2, 3})});
  EXPECT_EQ(y.value()[0], f32({1, 1, 1}, {2}));
}

TEST(MaxPool, NeedsTheRowsUnderItsWindows) {
  const std::vector<Symbolic> in = {{"f32[1,8,s0,20]", ""}};
  EXPECT_EQ(rows_of("MaxPool", "kernel_shape=[5,5], pads=[2,2,2,2]", in, 2, {0, 3}), "2 [-2, 5)");
  EXPECT_EQ(rows_of("MaxPool", "kernel_shape=[5,5], pads=[2,2,2,2]", in, 1, {0, 3}), "1 [0, 3)");
}

TEST(AveragePool, DividesByTheElementsThatCount) {
  const Tensor x = f32({1, 1, 2, 2}, {1, 1, 1, 1});
  EXPECT_EQ(run("AveragePool", "kernel_shape=[2,2], pads=[0,0,1,1], count_include_pad=true", {x}),
            f32({1, 1, 2, 2}, {1, 0.5, 0.5, 0.25}));
  EXPECT_EQ(run("AveragePool", "kernel_shape=[2,2], pads=[0,0,1,1]", {x}), f32({1, 1, 2, 2}, {1, 1, 1, 1}));
}

TEST(AveragePool, WhatCeilModeHangsOverNeverCounts) {
  // The last window covers 7 and 8, one declared pad, and one cell past it.
  EXPECT_EQ(run("AveragePool", "kernel_shape=[4], strides=[2], pads=[0,1], ceil_mode=true, count_include_pad=true",
                {f32({1, 1, 8}, {1, 2, 3, 4, 5, 6, 7, 8})}),
            f32({1, 1, 4}, {2.5, 4.5, 6.5, 5}));
}

TEST(GlobalAveragePool, LeavesExtentsOfOne) {
  EXPECT_EQ(run("GlobalAveragePool", "", {f32({1, 2, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40})}),
            f32({1, 2, 1, 1}, {2.5, 25}));
  EXPECT_EQ(run("GlobalMaxPool", "", {f32({1, 2, 2, 2}, {1, 2, 3, 4, -10, -20, -30, -40})}),
            f32({1, 2, 1, 1}, {4, -10}));
}

TEST(Pools, RefuseWhatHasNoMeaning) {
  EXPECT_EQ(refusal("MaxPool", "", {f32({1, 1, 2}, {1, 2})}), "kernel_shape is required");
  EXPECT_EQ(refusal("AveragePool", "kernel_shape=[2]", {counted(DType::i32, {1, 1, 4})}),
            "input 0 is i32, needs a floating-point type");
}

}  // namespace
}  // namespace memline::ops::testing

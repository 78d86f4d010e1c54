// Conv, ConvInteger, QLinearConv, ConvTranspose: what pads, groups and windows mean, in numbers worked out by hand.
#include <algorithm>
#include <cmath>

#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

Tensor ones(std::vector<int64_t> dims) {
  Tensor t = counted(DType::f32, std::move(dims));
  std::fill(t.values.begin(), t.values.end(), 1.0);
  return t;
}

TEST(Conv, PaddingIsZeroAndPadsAreBeginsThenEnds) {
  const Tensor x = f32({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run("Conv", "pads=[1,0,0,1]", {x, ones({1, 1, 2, 2})}), f32({1, 1, 2, 3}, {3, 5, 3, 12, 16, 9}));
}

TEST(Conv, SamePutsTheOddElementWhereItsNameSays) {
  const Tensor x = f32({1, 1, 4}, {1, 2, 3, 4}), w = f32({1, 1, 3}, {1, 10, 100});
  EXPECT_EQ(run("Conv", "strides=[2], auto_pad=\"SAME_UPPER\"", {x, w}), f32({1, 1, 2}, {321, 43}));
  EXPECT_EQ(run("Conv", "strides=[2], auto_pad=\"SAME_LOWER\"", {x, w}), f32({1, 1, 2}, {210, 432}));
}

TEST(Conv, ValidImportsAsNoPadsEvenWhereTheNodeHasSome) {
  const auto y = import_and_run("Conv", 11, {.strings = {{"auto_pad", "VALID"}}, .int_lists = {{"pads", {3, 3}}}},
                                {f32({1, 1, 3}, {1, 2, 3}), ones({1, 1, 3})});
  EXPECT_EQ(y.value()[0], f32({1, 1, 1}, {6}));
}

TEST(Conv, EachGroupSeesItsOwnChannels) {
  const Tensor x = f32({1, 4, 1}, {1, 2, 3, 4}), w = f32({2, 2, 1}, {1, 10, 1, 10});
  EXPECT_EQ(run("Conv", "group=2", {x, w, f32({2}, {0, 100})}), f32({1, 2, 1}, {21, 143}));
}

TEST(Conv, NanInAPictureStaysInsideTheWindowsThatCoverIt) {
  const Tensor y = run("Conv", "", {f32({1, 1, 4}, {1, 2, 3, std::nan("")}), ones({1, 1, 2})});
  EXPECT_EQ(y.values[0], 3);
  EXPECT_EQ(y.values[1], 5);
  EXPECT_TRUE(std::isnan(y.values[2]));
}

TEST(Conv, KnowsItsExtentsAsExpressions) {
  const auto result = infer("Conv", "strides=[2,2], pads=[1,1,1,1]", {{"f32[s0,3,s1,640]", ""}, {"f32[16,3,3,3]", ""}});
  EXPECT_EQ(result.types[0], TensorType::parse("f32[s0,16,floordiv(s1-1,2)+1,320]").value().text());
  EXPECT_EQ(result.conditions.size(), 1u);  // that a window fits into s1
}

TEST(Conv, NeedsTheRowsUnderItsWindows) {
  const std::vector<Symbolic> in = {{"f32[s0,3,s1,640]", ""}, {"f32[16,3,3,3]", ""}};
  EXPECT_EQ(rows_of("Conv", "strides=[2,2], pads=[1,1,1,1]", in, 2, {0, 4}), "2 [-1, 8); all");
  EXPECT_EQ(rows_of("Conv", "dilations=[2,2]", in, 3, {5, 6}), "3 [5, 10); all");
  EXPECT_EQ(rows_of("Conv", "", in, 0, {1, 2}), "0 [1, 2); all");
  EXPECT_EQ(rows_of("Conv", "auto_pad=\"SAME_UPPER\"", in, 2, {0, 4}), "all; all");  // its pads depend on s1
}

TEST(Conv, SaysWhatDoesNotFit) {
  EXPECT_EQ(refusal("Conv", "", {ones({1, 64, 8, 8}), ones({8, 32, 3, 3})}),
            "weights take 32 input channels (group=1) but the input has 64: 64 and 32 differ");
  EXPECT_EQ(refusal("Conv", "", {ones({1, 1, 2, 8}), ones({1, 1, 3, 3})}),
            "a window of 3 does not fit into spatial axis 0 with 2 elements and 0 of padding");
  EXPECT_EQ(refusal("Conv", "group=3", {ones({1, 3, 4, 4}), ones({4, 1, 3, 3})}),
            "4 output channels do not divide into 3 groups");
  EXPECT_EQ(refusal("Conv", "pads=[1,1]", {ones({1, 1, 4, 4}), ones({1, 1, 3, 3})}), "pads has 2 entries, needs 4");
  EXPECT_EQ(refusal("Conv", "strides=[0,1]", {ones({1, 1, 4, 4}), ones({1, 1, 3, 3})}),
            "strides has 0, needs at least 1");
}

TEST(ConvInteger, PaddingReadsTheZeroPoint) {
  const Tensor x = tensor(DType::u8, {1, 1, 2}, {10, 12}), w = tensor(DType::u8, {1, 1, 3}, {3, 4, 5});
  const Tensor x_zero = tensor(DType::u8, {}, {10}), w_zero = tensor(DType::u8, {}, {3});
  EXPECT_EQ(run("ConvInteger", "pads=[1,1]", {x, w, x_zero, w_zero}), tensor(DType::i32, {1, 1, 2}, {4, 2}));
}

TEST(QLinearConv, RoundsHalfToEvenAndSaturates) {
  const auto scale = [](double s) { return f32({}, {s}); };
  const auto zero = [](DType d) { return tensor(d, {}, {0}); };
  const Tensor x = tensor(DType::u8, {1, 1, 4}, {1, 3, 5, 255}), w = tensor(DType::i8, {1, 1, 1}, {1});
  EXPECT_EQ(
      run("QLinearConv", "", {x, scale(1), zero(DType::u8), w, scale(0.5), zero(DType::i8), scale(1), zero(DType::i8)}),
      tensor(DType::i8, {1, 1, 4}, {0, 2, 2, 127}));
}

TEST(ConvTranspose, SpreadsEachElementOverItsKernel) {
  const Tensor x = f32({1, 1, 3}, {1, 2, 3}), w = f32({1, 1, 2}, {1, 10});
  EXPECT_EQ(run("ConvTranspose", "strides=[2]", {x, w}), f32({1, 1, 6}, {1, 10, 2, 20, 3, 30}));
  EXPECT_EQ(run("ConvTranspose", "", {x, w}), f32({1, 1, 4}, {1, 12, 23, 30}));
  EXPECT_EQ(run("ConvTranspose", "pads=[1,0], output_padding=[1], strides=[2]", {x, w}),
            f32({1, 1, 6}, {10, 2, 20, 3, 30, 0}));
  EXPECT_EQ(run("ConvTranspose", "output_shape=[8], strides=[2]", {x, w}),
            f32({1, 1, 8}, {1, 10, 2, 20, 3, 30, 0, 0}));  // pads are never negative: the rest is at the end
}

TEST(ConvTranspose, NeedsTheRowsThatReachItsOutput) {
  const std::vector<Symbolic> in = {{"f32[1,3,20,20]", ""}, {"f32[3,8,4,4]", ""}};
  EXPECT_EQ(rows_of("ConvTranspose", "strides=[2,2], pads=[1,1,1,1]", in, 2, {0, 1}), "2 [0, 1); all");
  EXPECT_EQ(rows_of("ConvTranspose", "strides=[2,2], pads=[1,1,1,1]", in, 2, {4, 8}), "2 [1, 5); all");
}

}  // namespace
}  // namespace memline::ops::testing

// MatMul, Gemm and their integer kin: ranks, broadcasting, and products that must not overflow.
#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

TEST(MatMul, DropsTheAxisThatAVectorLacks) {
  const Tensor m = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run("MatMul", "", {m, f32({3}, {1, 10, 100})}), f32({2}, {321, 654}));
  EXPECT_EQ(run("MatMul", "", {f32({2}, {1, 10}), m}), f32({3}, {41, 52, 63}));
  EXPECT_EQ(run("MatMul", "", {f32({2}, {1, 10}), f32({2}, {3, 4})}), f32({}, {43}));
}

TEST(MatMul, BroadcastsStacksAndSumsNothingToZero) {
  EXPECT_EQ(run("MatMul", "", {f32({2, 1, 1, 1}, {2, 3}), f32({2, 1, 1}, {5, 7})}),
            f32({2, 2, 1, 1}, {10, 14, 15, 21}));
  EXPECT_EQ(run("MatMul", "", {f32({2, 0}, {}), f32({0, 2}, {})}), f32({2, 2}, {0, 0, 0, 0}));
  EXPECT_EQ(infer("MatMul", "", {{"f32[s0,8,s1,4]", ""}, {"f32[4,5]", ""}}).types[0], "f32[s0,8,s1,5]");
  EXPECT_EQ(refusal("MatMul", "", {counted(DType::f32, {2, 3}), counted(DType::f32, {4, 5})}),
            "f32[2,3] times f32[4,5]: the inner extents: 3 and 4 differ");
}

TEST(MatMul, NeedsRowsOfOneSideOnly) {
  const std::vector<Symbolic> in = {{"f32[s0,6,4]", ""}, {"f32[4,5]", ""}};
  EXPECT_EQ(rows_of("MatMul", "", in, 0, {1, 2}), "0 [1, 2); all");
  EXPECT_EQ(rows_of("MatMul", "", in, 1, {1, 2}), "1 [1, 2); all");
  EXPECT_EQ(rows_of("MatMul", "", in, 2, {1, 2}), "all; 1 [1, 2)");
}

TEST(Gemm, ScalesBothPartsAndBroadcastsTheSecond) {
  const Tensor a = f32({2, 1}, {1, 2}), b = f32({2, 1}, {10, 20});
  EXPECT_EQ(run("Gemm", "transB=true, alpha=2, beta=3", {a, b, f32({2, 1}, {1, 100})}),
            f32({2, 2}, {23, 43, 340, 380}));
  EXPECT_EQ(run("Gemm", "transB=true", {a, b}), f32({2, 2}, {10, 20, 20, 40}));
}

TEST(MatMulInteger, ProductsOfExtremesDoNotSaturate) {
  const Tensor a = tensor(DType::u8, {1, 2}, {255, 255}), b = tensor(DType::i8, {2, 2}, {127, -128, 127, -128});
  EXPECT_EQ(run("MatMulInteger", "", {a, b}), tensor(DType::i32, {1, 2}, {64770, -65280}));
}

TEST(MatMulInteger, TakesAZeroPointForEachRowAndColumn) {
  const Tensor a = tensor(DType::u8, {2, 1}, {5, 5}), b = tensor(DType::u8, {1, 2}, {9, 9});
  EXPECT_EQ(run("MatMulInteger", "", {a, b, tensor(DType::u8, {2}, {4, 3}), tensor(DType::u8, {2}, {8, 6})}),
            tensor(DType::i32, {2, 2}, {1, 3, 2, 6}));
}

}  // namespace
}  // namespace memline::ops::testing

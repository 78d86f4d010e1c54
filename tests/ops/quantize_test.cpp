// QuantizeLinear and DequantizeLinear: ties, saturation, scales by axis and by block.
#include <cmath>
#include <limits>

#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

TEST(QuantizeLinear, RoundsHalfToEvenThenSaturates) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      run("QuantizeLinear", "", {f32({6}, {0.5, 1.5, 2.5, -0.5, 300, -inf}), f32({}, {1}), tensor(DType::i8, {}, {1})}),
      tensor(DType::i8, {6}, {1, 3, 3, 1, 127, -128}));
}

TEST(QuantizeLinear, TheQuotientIsRoundedToTheScalesType) {
  // 1 / 0.4 in f16 is 2.5 exactly (0.39990234375): half to even gives 2; in f32 it is 2.5006, which gives 3.
  const Tensor x = tensor(DType::f16, {1}, {1}), half = tensor(DType::f16, {}, {0.39990234375}),
               single = f32({}, {0.39990234375});
  EXPECT_EQ(run("QuantizeLinear", "", {x, half}).values[0], 2);
  EXPECT_EQ(run("QuantizeLinear", "", {x, single}).values[0], 3);
}

TEST(QuantizeLinear, ScalesByAxisAndByBlock) {
  const Tensor x = f32({2, 2}, {8, 8, 8, 8});
  EXPECT_EQ(run("QuantizeLinear", "axis=0", {x, f32({2}, {1, 2})}), tensor(DType::u8, {2, 2}, {8, 8, 4, 4}));
  EXPECT_EQ(run("QuantizeLinear", "axis=-1", {x, f32({2}, {1, 2})}), tensor(DType::u8, {2, 2}, {8, 4, 8, 4}));
  EXPECT_EQ(run("QuantizeLinear", "axis=1, block_size=2", {x, f32({2, 1}, {1, 4})}),
            tensor(DType::u8, {2, 2}, {8, 8, 2, 2}));
  EXPECT_EQ(refusal("QuantizeLinear", "axis=0", {x, f32({3}, {1, 2, 3})}),
            "there is one scale an index of axis 0: 3 and 2 differ");
}

TEST(QuantizeLinear, OutputTypeFollowsFromZeroPointOrAttribute) {
  const Tensor x = f32({1}, {-3}), scale = f32({}, {1});
  EXPECT_EQ(import_and_run("QuantizeLinear", 21, {.ints = {{"output_dtype", 5}}}, {x, scale}).value()[0],
            tensor(DType::i16, {1}, {-3}));
  EXPECT_EQ(import_and_run("QuantizeLinear", 13, {}, {x, scale}).value()[0], tensor(DType::u8, {1}, {0}));
}

TEST(DequantizeLinear, SubtractsBeforeItScales) {
  EXPECT_EQ(
      run("DequantizeLinear", "", {tensor(DType::u8, {2}, {0, 255}), f32({}, {0.5}), tensor(DType::u8, {}, {128})}),
      f32({2}, {-64, 63.5}));
  EXPECT_EQ(run("DequantizeLinear", "", {tensor(DType::i32, {1}, {-7}), tensor(DType::f16, {}, {2})}),
            tensor(DType::f16, {1}, {-14}));
  EXPECT_EQ(run("DequantizeLinear", "axis=0",
                {tensor(DType::i8, {2, 1}, {1, 1}), f32({2}, {2, 3}), tensor(DType::i8, {2}, {0, -1})}),
            f32({2, 1}, {2, 6}));
}

}  // namespace
}  // namespace memline::ops::testing

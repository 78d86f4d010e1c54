#include "ops/epilogue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace memline::ops {
namespace {

TEST(Epilogue, ReadsBackFromItsText) {
  for (int kind = 0; kind <= static_cast<int>(EpilogueKind::affine); ++kind) {
    Epilogue epilogue{.kind = static_cast<EpilogueKind>(kind)};
    if (epilogue.reads_input()) epilogue.input = 3;
    const std::string plain = epilogue_text(epilogue);
    if (plain.find(',') != std::string::npos) epilogue.b = -INFINITY;
    if (plain.find('(') != std::string::npos && !epilogue.reads_input()) epilogue.a = 0.1f;
    const auto parsed = parse_epilogue(epilogue_text(epilogue));
    ASSERT_TRUE(parsed) << epilogue_text(epilogue) << ": " << parsed.error().message;
    EXPECT_EQ(*parsed, epilogue) << epilogue_text(epilogue);
  }
  EXPECT_EQ(epilogue_text({.kind = EpilogueKind::clip, .a = 0, .b = 6}), "clip(0,6)");
  EXPECT_EQ(epilogue_text({.kind = EpilogueKind::bias, .input = 2}), "bias(2)");
}

TEST(Epilogue, RefusesTextThatIsNotOne) {
  for (const char* text : {"", "relux", "relu()", "relu(1)", "bias", "bias(-1)", "bias(x)", "clip(0)", "clip(0,6",
                           "clip(0,6,7)", "leaky_relu", "leaky_relu(1,2)"})
    EXPECT_EQ(parse_epilogue(text).error().code, Code::invalid_argument) << text;
}

TEST(Epilogue, FollowsItsDefinition) {
  const auto y = [](EpilogueKind kind, float x, float a = 0, float b = 0) {
    return apply_scalar({.kind = kind, .a = a, .b = b}, x);
  };
  EXPECT_EQ(y(EpilogueKind::relu, -2), 0);
  EXPECT_EQ(y(EpilogueKind::leaky_relu, -2, 0.5f), -1);
  EXPECT_EQ(y(EpilogueKind::clip, 9, 0, 6), 6);
  EXPECT_EQ(y(EpilogueKind::affine, 3, 2, 1), 7);
  EXPECT_EQ(y(EpilogueKind::hard_sigmoid, 1, 0.25f, 0.5f), 0.75f);
  EXPECT_EQ(y(EpilogueKind::hard_swish, 3), 3);
  EXPECT_FLOAT_EQ(y(EpilogueKind::sigmoid, 1), 0.7310586f);
  EXPECT_FLOAT_EQ(y(EpilogueKind::silu, 1), 0.7310586f);
  EXPECT_FLOAT_EQ(y(EpilogueKind::tanh, 1), 0.7615942f);
  EXPECT_FLOAT_EQ(y(EpilogueKind::gelu, 1), 0.8413447f);
  EXPECT_FLOAT_EQ(y(EpilogueKind::gelu_tanh, 1), 0.8411920f);
  EXPECT_FLOAT_EQ(y(EpilogueKind::mish, 1), 0.8650984f);
}

TEST(Epilogue, StaysFiniteFarOutAndKeepsNan) {
  for (int kind = static_cast<int>(EpilogueKind::relu); kind <= static_cast<int>(EpilogueKind::affine); ++kind) {
    const Epilogue epilogue{.kind = static_cast<EpilogueKind>(kind), .a = 0.1f, .b = 0.5f};
    for (const float x : {-1000.0f, 1000.0f})
      EXPECT_TRUE(std::isfinite(apply_scalar(epilogue, x))) << epilogue_text(epilogue) << " at " << x;
    EXPECT_TRUE(std::isnan(apply_scalar(epilogue, NAN))) << epilogue_text(epilogue);
  }
}

TEST(Epilogue, ListIsAppliedInOrderWithBroadcastingInAnyLayout) {
  // [1, 2, 1, 3] channels last: bias by channel, then a residual of shape [3], then doubled.
  float values[6], bias[] = {10, 20}, residual[] = {1, 2, 3};
  std::iota(values, values + 6, 0.0f);
  TensorView view = dense_view(DType::f32, values, std::vector<int64_t>{1, 2, 1, 3});
  view.set_dense(AxisOrder::channels_last(4));
  const TensorView inputs[] = {{},
                               dense_view(DType::f32, bias, std::vector<int64_t>{2}),
                               dense_view(DType::f32, residual, std::vector<int64_t>{3})};
  const Epilogue list[] = {{.kind = EpilogueKind::bias, .input = 1},
                           {.kind = EpilogueKind::add, .input = 2},
                           {.kind = EpilogueKind::affine, .a = 2}};
  apply_reference(list, inputs, 1, view);
  const float expected[] = {22, 44, 28, 50, 34, 56};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(values[i], expected[i]) << i;
}

TEST(Epilogue, ReadsResidualsOfEveryFloatType) {
  float value = 1;
  uint16_t bf16 = 0x4000, f16 = 0x4000;  // 2 in both
  double f64 = 2;
  TensorView view = dense_view(DType::f32, &value, std::vector<int64_t>{1});
  const TensorView inputs[] = {dense_view(DType::bf16, &bf16, std::vector<int64_t>{1}),
                               dense_view(DType::f16, &f16, std::vector<int64_t>{}),
                               dense_view(DType::f64, &f64, std::vector<int64_t>{1})};
  const Epilogue list[] = {{.kind = EpilogueKind::mul, .input = 0},
                           {.kind = EpilogueKind::add, .input = 1},
                           {.kind = EpilogueKind::bias, .input = 2}};
  apply_reference(list, inputs, -1, view);
  EXPECT_EQ(value, 6);
}

TEST(Epilogue, EmptyTensorIsLeftAlone) {
  TensorView view = dense_view(DType::f32, nullptr, std::vector<int64_t>{0, 4});
  const Epilogue list[] = {{.kind = EpilogueKind::relu}};
  apply_reference(list, {}, 1, view);
}

}  // namespace
}  // namespace memline::ops

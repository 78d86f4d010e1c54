// QLinearMatMul: a matrix product of 8-bit integers, requantised.
//   in   a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero
//   out  y = saturate(round(sum of (a - a_zero) * (b - b_zero) * (a_scale * b_scale / y_scale)) + y_zero)
#include "ops/matmul_integer.h"
#include "ops/quantize.h"

namespace memline::ops {
namespace {

enum Input : size_t { kA, kAScale, kAZero, kB, kBScale, kBZero, kYScale, kYZero };

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(8, 8));
  for (const size_t i : {kA, kB, kYZero})
    if (in.dtype(i) != DType::i8 && in.dtype(i) != DType::u8)
      return unsupported("input {} is {}, needs i8 or u8", static_cast<size_t>(i), in.dtype(i));
  MEML_TRY_STATUS(in.expect_same_dtype(kAZero, kA));
  MEML_TRY_STATUS(in.expect_same_dtype(kBZero, kB));
  for (const size_t i : {kAScale, kBScale, kYScale}) MEML_TRY_STATUS(in.expect_float(i));
  for (const size_t i : {kAScale, kAZero}) MEML_TRY_STATUS(check_row_parameter(in, i, kA));
  for (const size_t i : {kBScale, kBZero}) MEML_TRY_STATUS(check_column_parameter(in, i, kB));
  for (const size_t i : {kYScale, kYZero})
    if (product(in.dims(i)) != DimExpr(1))
      return unsupported("input {} is {}, needs one element", static_cast<size_t>(i), in.type(i).text());
  MEML_TRY(std::vector<DimExpr> dims, matmul_dims(in, kA, kB));
  return TensorTypes{{in.dtype(kYZero), std::move(dims)}};
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView& y = out[0];
  const auto y_scale = parameter<float>(in[kYScale], 0, 1);
  const auto y_zero = parameter<int64_t>(in[kYZero], 0, 0);
  multiply_integers(in[kA], in[kB], in[kAZero], in[kBZero], y, in[kAScale], in[kBScale],
                    [&](const auto& at, int64_t sum) {
                      const float scale = load<float>(in[kAScale], at[3]) * load<float>(in[kBScale], at[4]) / y_scale;
                      store_quantized(y, at[0], static_cast<float>(sum) * scale, y_zero);
                    });
}

std::vector<RowNeed> rows(const NoAttrs&, const InferContext& in, int axis, RowRange range) {
  if (in.rank(kA) < 2 || in.rank(kB) < 2) return std::vector<RowNeed>(in.size());
  return matmul_rows(in, kA, kB, axis, range);
}

}  // namespace

OpDef qlinear_matmul() {
  return define_op<NoAttrs>(
      "QLinearMatMul", {.since_opset = 10, .infer = infer, .reference = reference, .rows = rows, .channel_axis = -1});
}

}  // namespace memline::ops

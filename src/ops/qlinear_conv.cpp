// QLinearConv: a convolution of 8-bit integers, requantised.
//   in   x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, optional bias i32 [M] (its scale is x_scale *
//   w_scale)
//        scales are f32; those of w, and its zero points, are one for the tensor or one an output channel
//   out  y = saturate(round((sum of (x - x_zero) * (w - w_zero) + bias) * (x_scale * w_scale / y_scale)) + y_zero)
#include "ops/conv_reference.h"
#include "ops/quantize.h"

namespace memline::ops {
namespace {

enum Input : size_t { kX, kXScale, kXZero, kW, kWScale, kWZero, kYScale, kYZero, kBias };

Status check_parameters(const InferContext& in) {
  for (const size_t i : {kX, kW, kYZero})
    if (in.dtype(i) != DType::i8 && in.dtype(i) != DType::u8)
      return invalid_model("input {} is {}, needs i8 or u8", i, in.dtype(i));
  MEML_TRY_STATUS(in.expect_same_dtype(kXZero, kX));
  MEML_TRY_STATUS(in.expect_same_dtype(kWZero, kW));
  for (const size_t i : {kXScale, kXZero, kYScale, kYZero})
    if (product(in.dims(i)) != DimExpr(1))
      return invalid_model("input {} is {}, needs one element", i, in.type(i).text());
  for (const size_t i : {kWScale, kWZero}) {
    MEML_TRY_STATUS(in.expect_rank(i, 0, 1));
    if (product(in.dims(i)) != DimExpr(1))
      MEML_TRY_STATUS(
          in.expect_equal(in.dims(i)[0], in.dims(kW)[0], "parameters of w have one element or one an output channel"));
  }
  for (const size_t i : {kXScale, kWScale, kYScale}) MEML_TRY_STATUS(in.expect_float(i));
  if (!in.has(kBias)) return {};
  if (in.dtype(kBias) != DType::i32) return invalid_model("the bias is {}, needs i32", in.dtype(kBias));
  MEML_TRY_STATUS(in.expect_rank(kBias, 1, 1));
  return in.expect_equal(in.dims(kBias)[0], in.dims(kW)[0], "the bias has one element an output channel");
}

Result<TensorTypes> infer(const ConvAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(8, 9));
  MEML_TRY(TensorType type, infer_conv(attrs, in, kX, kW));
  MEML_TRY_STATUS(check_parameters(in));
  type.dtype = in.dtype(kYZero);
  return TensorTypes{std::move(type)};
}

void reference(const ConvAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView bias = input_or_none(in, kBias);
  const TensorView& y = out[0];
  const auto x_scale = parameter<float>(in[kXScale], 0, 1), y_scale = parameter<float>(in[kYScale], 0, 1);
  const auto y_zero = parameter<int64_t>(in[kYZero], 0, 0);
  const auto put = [&](int64_t at, int64_t oc, int64_t sum) {
    if (bias.data) sum += load<int64_t>(bias, oc * bias.stride(0));
    const float scale = x_scale * parameter<float>(in[kWScale], oc, 1) / y_scale;
    store_quantized(y, at, static_cast<float>(sum) * scale, y_zero);
  };
  Convolution(
      attrs, in[kX], in[kW], y, parameter<int64_t>(in[kXZero], 0, 0),
      [&](int64_t oc) { return parameter<int64_t>(in[kWZero], oc, 0); }, put)
      .run();
}

std::vector<RowNeed> rows(const ConvAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  return conv_rows(attrs, in, kX, kW, axis, range);
}

}  // namespace

OpDef qlinear_conv() {
  return define_op<ConvAttrs>(
      "QLinearConv", {.since_opset = 10, .import = import_conv, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

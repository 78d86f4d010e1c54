// QuantizeLinear: saturate(round_half_even(x / scale) + zero).
//   in   x, scale, optional zero point (its type is the output's; without it output_dtype, else u8)
//   The quotient is rounded to the scale's type (or `precision`) before it is rounded to an integer.
#include "ops/quantize_linear.h"

#include "ops/quantize.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

// 0 is UNDEFINED in ONNX, and means that the attribute was not given.
Result<bool> given(AttrReader& reader, std::string_view name, DType& dtype) {
  MEML_TRY(const int64_t number, reader.int_or(name, 0));
  if (number == 0) return false;
  MEML_TRY_STATUS(detail::read_field(reader, name, dtype));
  return true;
}

}  // namespace

Result<QuantizeLinearAttrs> import_quantize_linear(AttrReader& reader, int) {
  QuantizeLinearAttrs attrs;
  MEML_TRY(attrs.axis, reader.int_or("axis", 1));
  MEML_TRY(attrs.block_size, reader.int_or("block_size", 0));
  MEML_TRY(attrs.has_output_dtype, given(reader, "output_dtype", attrs.output_dtype));
  MEML_TRY(attrs.has_precision, given(reader, "precision", attrs.precision));
  return attrs;
}

Status check_quantization(const QuantizeLinearAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 3));
  MEML_TRY_STATUS(in.expect_float(1));
  const auto &x = in.dims(0), &scale = in.dims(1);
  if (in.has(2) && in.dims(2) != scale)
    return invalid_model("the scale is {} but the zero point is {}: they need the same shape", in.type(1).text(),
                         in.type(2).text());
  if (scale.empty() || product(scale) == DimExpr(1)) return {};
  MEML_TRY(const int axis, resolve_axis(attrs.axis, in.rank(0), "axis"));
  const auto a = static_cast<size_t>(axis);
  if (scale.size() == 1)
    return in.expect_equal(scale[0], x[a], fmt::format("there is one scale an index of axis {}", axis));
  if (scale.size() != x.size())
    return invalid_model("the scale is {}, needs rank 0, 1 or {} (blocks)", in.type(1).text(), x.size());
  if (attrs.block_size < 1)
    return invalid_model("block_size is {}, needs at least 1 for scales of blocks", attrs.block_size);
  for (size_t i = 0; i < x.size(); ++i)
    MEML_TRY_STATUS(
        in.expect_equal(scale[i], i == a ? ceil_div(x[i], attrs.block_size) : x[i], "there is one scale a block"));
  return {};
}

std::vector<RowNeed> quantization_rows(const QuantizeLinearAttrs& attrs, const InferContext& in, int axis,
                                       RowRange rows) {
  std::vector<RowNeed> needs(in.size());
  needs[0] = {.all = false, .axis = axis, .rows = rows};
  if (in.rank(1) == 1 && product(in.dims(1)) != DimExpr(1) && wrap_axis(attrs.axis, in.rank(0)) == axis)
    for (size_t i = 1; i < needs.size(); ++i) needs[i] = {.all = false, .axis = 0, .rows = rows};
  return needs;
}

namespace {

bool can_hold(DType dtype) {
  return dtype == DType::i8 || dtype == DType::u8 || dtype == DType::i16 || dtype == DType::u16;
}

Result<TensorTypes> infer(const QuantizeLinearAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(check_quantization(attrs, in));
  if (!is_float(in.dtype(0)) && in.dtype(0) != DType::i32)
    return invalid_model("input 0 is {}, needs a floating-point type or i32", in.dtype(0));
  const DType dtype = in.has(2) ? in.dtype(2) : attrs.has_output_dtype ? attrs.output_dtype : DType::u8;
  if (!can_hold(dtype)) return unsupported("the output is {}, needs i8, u8, i16 or u16", dtype);
  if (attrs.has_output_dtype && attrs.output_dtype != dtype)
    return invalid_model("output_dtype is {} but the zero point is {}", attrs.output_dtype, dtype);
  return TensorTypes{{dtype, in.dims(0)}};
}

double rounded_to(DType dtype, float x) {
  if (dtype == DType::f16) return static_cast<double>(f16_to_f32(f32_to_f16(x)));
  if (dtype == DType::bf16) return static_cast<double>(bf16_to_f32(f32_to_bf16(x)));
  return static_cast<double>(x);
}

void reference(const QuantizeLinearAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &scale = in[1], zero = input_or_none(in, 2), &y = out[0];
  const DType precision = attrs.has_precision ? attrs.precision : scale.dtype;
  walk_quantized(attrs, x, y, scale, zero, [&](int64_t x_at, int64_t y_at, int64_t scale_at, int64_t zero_at) {
    const float quotient = load<float>(x, x_at) / load<float>(scale, scale_at);
    store_quantized(y, y_at, rounded_to(precision, quotient), zero.data ? load<int64_t>(zero, zero_at) : 0);
  });
}

}  // namespace

OpDef quantize_linear() {
  return define_op<QuantizeLinearAttrs>("QuantizeLinear", {.since_opset = 10,
                                                           .import = import_quantize_linear,
                                                           .infer = infer,
                                                           .reference = reference,
                                                           .rows = quantization_rows});
}

}  // namespace memline::ops

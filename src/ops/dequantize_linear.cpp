// DequantizeLinear: (x - zero) * scale, in f32.
//   in   x integers, scale, optional zero point of x's type
//   out  the scale's type, or output_dtype
#include "ops/quantize_linear.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const QuantizeLinearAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(check_quantization(attrs, in));
  if (is_float(in.dtype(0)) || in.dtype(0) == DType::boolean)
    return invalid_model("input 0 is {}, needs an integer type", in.dtype(0));
  if (in.has(2)) MEML_TRY_STATUS(in.expect_same_dtype(2, 0));
  const DType dtype = attrs.has_output_dtype ? attrs.output_dtype : in.dtype(1);
  if (!is_float(dtype)) return invalid_model("output_dtype is {}, needs a floating-point type", dtype);
  return TensorTypes{{dtype, in.dims(0)}};
}

void reference(const QuantizeLinearAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &scale = in[1], zero = input_or_none(in, 2), &y = out[0];
  walk_quantized(attrs, x, y, scale, zero, [&](int64_t x_at, int64_t y_at, int64_t scale_at, int64_t zero_at) {
    const int64_t difference = load<int64_t>(x, x_at) - (zero.data ? load<int64_t>(zero, zero_at) : 0);
    store(y, y_at, static_cast<float>(difference) * load<float>(scale, scale_at));
  });
}

}  // namespace

OpDef dequantize_linear() {
  return define_op<QuantizeLinearAttrs>("DequantizeLinear", {.since_opset = 10,
                                                             .import = import_quantize_linear,
                                                             .infer = infer,
                                                             .reference = reference,
                                                             .rows = quantization_rows});
}

}  // namespace memline::ops

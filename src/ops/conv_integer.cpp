// ConvInteger: a convolution of 8-bit integers into 32-bit sums.
//   in   x u8/i8 [N, C, spatial...], w u8/i8 [M, C/group, kernel...], optional zero points of x (one) and w (one or M)
//   out  i32 [N, M, windows...] = sum of (x - x_zero) * (w - w_zero)
#include "ops/conv_reference.h"
#include "ops/quantize.h"

namespace memline::ops {
namespace {

Status expect_8_bits(const InferContext& in, size_t i) {
  if (in.dtype(i) != DType::i8 && in.dtype(i) != DType::u8)
    return invalid_model("input {} is {}, needs i8 or u8", i, in.dtype(i));
  return {};
}

Result<TensorTypes> infer(const ConvAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 4));
  MEML_TRY_STATUS(expect_8_bits(in, 0));
  MEML_TRY_STATUS(expect_8_bits(in, 1));
  for (size_t i : {size_t{2}, size_t{3}})
    if (in.has(i)) MEML_TRY_STATUS(in.expect_same_dtype(i, i - 2));
  if (in.has(2) && product(in.dims(2)) != DimExpr(1))
    return invalid_model("the zero point of x is {}, needs one element", in.type(2).text());
  if (in.has(3)) MEML_TRY_STATUS(in.expect_rank(3, 0, 1));
  MEML_TRY(TensorType type, infer_conv(attrs, in, 0, 1));
  type.dtype = DType::i32;
  return TensorTypes{std::move(type)};
}

void reference(const ConvAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView x_zero = input_or_none(in, 2), w_zero = input_or_none(in, 3);
  const TensorView& y = out[0];
  Convolution(
      attrs, in[0], in[1], y, parameter<int64_t>(x_zero, 0, 0),
      [&](int64_t oc) { return parameter<int64_t>(w_zero, oc, 0); },
      [&](int64_t at, int64_t, int64_t sum) { store(y, at, sum); })
      .run();
}

std::vector<RowNeed> rows(const ConvAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  return conv_rows(attrs, in, 0, 1, axis, range);
}

}  // namespace

OpDef conv_integer() {
  return define_op<ConvAttrs>(
      "ConvInteger", {.since_opset = 10, .import = import_conv, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

// EyeLike: a matrix of the input's dims with ones on a diagonal. Reads no element.
#include "ops/eye_like.h"

#include "ops/op.h"
#include "ops/reference.h"

namespace memline::ops {
namespace {

Result<EyeLikeAttrs> import(AttrReader& reader, int) {
  EyeLikeAttrs attrs;
  MEML_TRY(attrs.k, reader.int_or("k", 0));
  MEML_TRY(const std::optional<int64_t> dtype, reader.find_int("dtype"));
  if (!dtype) return attrs;
  attrs.input_type = false;
  MEML_TRY_STATUS(detail::read_field(reader, "dtype", attrs.dtype));
  return attrs;
}

Result<TensorTypes> infer(const EyeLikeAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  MEML_TRY_STATUS(in.expect_rank(0, 2, 2));
  return TensorTypes{{.dtype = attrs.input_type ? in.dtype(0) : attrs.dtype, .dims = in.dims(0)}};
}

void reference(const EyeLikeAttrs& attrs, std::span<const TensorView>, std::span<TensorView> out) {
  for (int64_t row = 0; row < out[0].dim(0); ++row)
    for (int64_t column = 0; column < out[0].dim(1); ++column)
      store<int64_t>(out[0], row * out[0].stride(0) + column * out[0].stride(1), column - row == attrs.k ? 1 : 0);
}

}  // namespace

OpDef eye_like() {
  return define_op<EyeLikeAttrs>("EyeLike",
                                 {.since_opset = 9, .import = import, .infer = infer, .reference = reference});
}

}  // namespace memline::ops

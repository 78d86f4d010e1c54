// Size: the number of elements of the input, i64[]. Reads no element.
#include "ops/op.h"
#include "ops/reference.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  return TensorTypes{{.dtype = DType::i64, .dims = {}}};
}

Result<Integers> values(const NoAttrs&, const InferContext& in) { return std::vector<DimExpr>{product(in.dims(0))}; }

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  store(out[0], 0, in[0].elements());
}

}  // namespace

OpDef size() { return define_op<NoAttrs>("Size", {.infer = infer, .values = values, .reference = reference}); }

}  // namespace memline::ops

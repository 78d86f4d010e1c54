// Copy: the identity that moves data. No model has it: `choose` puts it where a writer and a reader disagree on the
// order of axes, on strides or on the storage dtype. No attributes; what changes is in the operands.
#include "ops/op.h"
#include "ops/reference.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  return TensorTypes{in.type(0)};
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) { copy(in[0], out[0]); }

std::vector<RowNeed> rows(const NoAttrs&, const InferContext&, int axis, RowRange range) {
  return {{.all = false, .axis = axis, .rows = range}};
}

}  // namespace

OpDef copy() {
  return define_op<NoAttrs>("Copy", {.domain = "memline", .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

// Identity: y = x. Moves nothing.
#include "ops/elementwise.h"
#include "ops/reference.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  return TensorTypes{in.type(0)};
}

Result<Integers> values(const NoAttrs&, const InferContext& in) {
  return in.values(0) ? Integers(*in.values(0)) : std::nullopt;
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) { copy(in[0], out[0]); }

std::optional<Placement> view(const NoAttrs&, const InferContext&, size_t, size_t, const Placement& at) { return at; }

}  // namespace

OpDef identity() {
  return define_op<NoAttrs>("Identity", {.infer = infer,
                                         .values = values,
                                         .reference = reference,
                                         .rows = rows_by_element<NoAttrs>,
                                         .view_output = view});
}

}  // namespace memline::ops

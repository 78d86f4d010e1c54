// Flatten: [d0, ..., dn] as the matrix [d0*...*d(axis-1), d(axis)*...*dn].
#include "ops/flatten.h"

#include "ops/reshape_view.h"
#include "ops/same_elements.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

std::vector<DimExpr> flat_dims(const FlattenAttrs& attrs, const InferContext& in) {
  const std::span<const DimExpr> dims = in.dims(0);
  const auto axis = static_cast<size_t>(attrs.axis < 0 ? attrs.axis + in.rank(0) : attrs.axis);
  return {product(dims.first(axis)), product(dims.subspan(axis))};
}

Result<TensorTypes> infer(const FlattenAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  if (attrs.axis < -in.rank(0) || attrs.axis > in.rank(0))
    return invalid_model("axis {} is outside [{}, {}]", attrs.axis, -in.rank(0), in.rank(0));
  return TensorTypes{{.dtype = in.dtype(0), .dims = flat_dims(attrs, in)}};
}

Result<Integers> values(const FlattenAttrs&, const InferContext& in) {
  return in.values(0) ? Integers(*in.values(0)) : std::nullopt;
}

void reference(const FlattenAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  copy_in_order(in[0], out[0]);
}

std::vector<RowNeed> rows(const FlattenAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  return {reshaped_rows(in.dims(0), flat_dims(attrs, in), axis, range)};
}

std::optional<Placement> view(const FlattenAttrs& attrs, const InferContext& in, size_t, size_t, const Placement& at) {
  return reshaped(in.dims(0), flat_dims(attrs, in), at);
}

}  // namespace

OpDef flatten() {
  return define_op<FlattenAttrs>(
      "Flatten", {.infer = infer, .values = values, .reference = reference, .rows = rows, .view_output = view});
}

}  // namespace memline::ops

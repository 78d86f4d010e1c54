// Transpose: axis i of the result is axis perm[i] of the input. Always a view: it permutes strides.
#include "ops/transpose.h"

#include "ops/op.h"
#include "ops/reference.h"
#include "ops/shape_values.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const TransposeAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  const int rank = in.rank(0);
  if (!attrs.perm.empty() && static_cast<int>(attrs.perm.size()) != rank)
    return invalid_model("perm has {} axes, the input is {}", attrs.perm.size(), in.type(0).text());
  for (const int64_t axis : attrs.perm)
    if (axis < 0) return invalid_model("perm has the axis {}", axis);
  MEML_TRY_STATUS(resolve_axes(attrs.perm, rank, "perm"));
  TensorType type = {.dtype = in.dtype(0), .dims = {}};
  for (int axis = 0; axis < rank; ++axis)
    type.dims.push_back(in.dims(0)[static_cast<size_t>(attrs.source_axis(axis, rank))]);
  return TensorTypes{std::move(type)};
}

void reference(const TransposeAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  TensorView permuted = in[0];
  for (int axis = 0; axis < in[0].rank; ++axis) {
    const int source = attrs.source_axis(axis, in[0].rank);
    permuted.dims[static_cast<size_t>(axis)] = in[0].dim(source);
    permuted.strides[static_cast<size_t>(axis)] = in[0].stride(source);
  }
  copy(permuted, out[0]);
}

std::vector<RowNeed> rows(const TransposeAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  return {{.all = false, .axis = attrs.source_axis(axis, in.rank(0)), .rows = range}};
}

std::optional<Placement> view(const TransposeAttrs& attrs, const InferContext& in, size_t, size_t,
                              const Placement& at) {
  Placement result = {.offset = at.offset, .strides = {}};
  for (int axis = 0; axis < in.rank(0); ++axis)
    result.strides.push_back(at.strides[static_cast<size_t>(attrs.source_axis(axis, in.rank(0)))]);
  return result;
}

}  // namespace

OpDef transpose() {
  return define_op<TransposeAttrs>("Transpose", {.infer = infer,
                                                 .values = integers_by_moving<infer, reference, 1>,
                                                 .reference = reference,
                                                 .rows = rows,
                                                 .view_output = view});
}

}  // namespace memline::ops

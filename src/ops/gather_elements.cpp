// GatherElements: y[i...] = x[i... with indices[i...] on the axis]; y has the dims of the indices.
#include "ops/gather.h"
#include "ops/index.h"
#include "ops/shape_values.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const GatherAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY_STATUS(in.expect_rank(0, 1, kMaxRank));
  MEML_TRY(const int axis, resolve_axis(attrs.axis, in.rank(0), "axis"));
  MEML_TRY_STATUS(expect_indices(in, 1, in.dims(0)[static_cast<size_t>(axis)]));
  if (in.rank(0) != in.rank(1))
    return invalid_model("the data is {} and the indices {}: ranks differ", in.type(0).text(), in.type(1).text());
  for (int a = 0; a < in.rank(0); ++a) {
    const DimExpr &data = in.dims(0)[static_cast<size_t>(a)], &index = in.dims(1)[static_cast<size_t>(a)];
    if (a == axis || data == index) continue;
    MEML_TRY_STATUS(in.demand(1 - less(data, index),
                              fmt::format("axis {}: {} indices for an extent of {}", a, index.text(), data.text())));
  }
  return TensorTypes{{.dtype = in.dtype(0), .dims = in.dims(1)}};
}

void reference(const GatherAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &data = in[0], &indices = in[1];
  const auto axis = static_cast<size_t>(wrap_axis(attrs.axis, data.rank));
  Extents others = data.strides;
  others[axis] = 0;
  walk<3>(out[0].rank, out[0].dims, {out[0].strides, others, indices.strides}, [&](const auto& at) {
    const int64_t index = checked_index(load<int64_t>(indices, at[2]), data.dims[axis]);
    if (index < 0)
      store<int64_t>(out[0], at[0], 0);
    else
      copy_element(data, at[1] + index * data.strides[axis], out[0], at[0]);
  });
}

std::vector<RowNeed> rows(const GatherAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  const RowNeed same = {.all = false, .axis = axis, .rows = range};
  return {wrap_axis(attrs.axis, in.rank(0)) == axis ? RowNeed{} : same, same};
}

}  // namespace

OpDef gather_elements() {
  return define_op<GatherAttrs>("GatherElements", {.since_opset = 11,
                                                   .infer = infer,
                                                   .values = integers_by_moving<infer, reference, 1>,
                                                   .reference = reference,
                                                   .rows = rows});
}

}  // namespace memline::ops

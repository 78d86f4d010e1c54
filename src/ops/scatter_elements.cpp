// ScatterElements: y = x, then y[i... with indices[i...] on the axis] = updates[i...] for each i in row-major order,
// replaced or combined. Scatter is its name before opset 11.
#include "ops/index.h"
#include "ops/scatter.h"
#include "ops/scatter_reduction.h"
#include "ops/shape_values.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const ScatterElementsAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(3, 3));
  MEML_TRY_STATUS(in.expect_rank(0, 1, kMaxRank));
  MEML_TRY_STATUS(in.expect_same_dtype(0, 2));
  MEML_TRY_STATUS(expect_reduction(in, attrs.reduction));
  MEML_TRY(const int axis, resolve_axis(attrs.axis, in.rank(0), "axis"));
  MEML_TRY_STATUS(expect_indices(in, 1, in.dims(0)[static_cast<size_t>(axis)]));
  if (in.rank(0) != in.rank(1) || in.rank(0) != in.rank(2))
    return invalid_model("data {}, indices {} and updates {}: ranks differ", in.type(0).text(), in.type(1).text(),
                         in.type(2).text());
  for (int a = 0; a < in.rank(0); ++a) {
    const auto i = static_cast<size_t>(a);
    const DimExpr &data = in.dims(0)[i], &index = in.dims(1)[i];
    MEML_TRY_STATUS(in.expect_equal(index, in.dims(2)[i], fmt::format("axis {} of indices and updates", a)));
    if (a == axis || data == index) continue;
    MEML_TRY_STATUS(in.demand(1 - less(data, index),
                              fmt::format("axis {}: {} indices for an extent of {}", a, index.text(), data.text())));
  }
  return TensorTypes{in.type(0)};
}

void reference(const ScatterElementsAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &indices = in[1], &updates = in[2];
  copy(in[0], out[0]);
  const Reduction reduction = *parse_reduction(attrs.reduction);
  const auto axis = static_cast<size_t>(wrap_axis(attrs.axis, in[0].rank));
  Extents others = out[0].strides;
  others[axis] = 0;
  walk<3>(indices.rank, indices.dims, {others, indices.strides, updates.strides}, [&](const auto& at) {
    const int64_t index = checked_index(load<int64_t>(indices, at[1]), out[0].dims[axis]);
    if (index >= 0) update_element(reduction, updates, at[2], out[0], at[0] + index * out[0].strides[axis]);
  });
}

Result<Integers> values(const ScatterElementsAttrs& attrs, const InferContext& in) {
  if (attrs.reduction != "none") return std::nullopt;
  return integers_by_moving<infer, reference, 0b101>(attrs, in);
}

OpDef define(std::string_view name, int since_opset) {
  return define_op<ScatterElementsAttrs>(
      name, {.since_opset = since_opset, .infer = infer, .values = values, .reference = reference});
}

}  // namespace

OpDef scatter() { return define("Scatter", 9); }
OpDef scatter_elements() { return define("ScatterElements", 11); }

}  // namespace memline::ops

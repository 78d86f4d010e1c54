// ScatterND: y = x, then each last-axis vector of the indices names the slice of y that the updates at its place
// replace, or are combined with, in row-major order:   y[indices[i..., 0], indices[i..., 1], ..., rest...] =
// updates[i..., rest...]
#include "ops/index.h"
#include "ops/scatter.h"
#include "ops/scatter_reduction.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const ScatterNdAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(3, 3));
  MEML_TRY_STATUS(in.expect_rank(0, 1, kMaxRank));
  MEML_TRY_STATUS(in.expect_rank(1, 1, kMaxRank));
  MEML_TRY_STATUS(in.expect_same_dtype(0, 2));
  MEML_TRY_STATUS(expect_reduction(in, attrs.reduction));
  if (in.dtype(1) != DType::i64) return invalid_model("the indices are {}, need i64", in.dtype(1));
  const std::vector<DimExpr>&data = in.dims(0), &indices = in.dims(1), &updates = in.dims(2);
  const std::optional<int64_t> depth = indices.back().constant();
  if (!depth)
    return unsupported("the last extent of the indices ({}) is not known, so the rank of the updates is not",
                       indices.back().text());
  if (*depth < 1 || *depth > in.rank(0))
    return invalid_model("index vectors of length {} for data {}", *depth, in.type(0).text());
  std::vector<DimExpr> needed(indices.begin(), indices.end() - 1);
  needed.insert(needed.end(), data.begin() + *depth, data.end());
  if (needed.size() != updates.size())
    return invalid_model("the updates are {}, need rank {} for data {} and indices {}", in.type(2).text(),
                         needed.size(), in.type(0).text(), in.type(1).text());
  for (size_t a = 0; a < needed.size(); ++a)
    MEML_TRY_STATUS(in.expect_equal(needed[a], updates[a], fmt::format("axis {} of the updates", a)));
  return TensorTypes{in.type(0)};
}

void reference(const ScatterNdAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &indices = in[1], &updates = in[2];
  copy(in[0], out[0]);
  const Reduction reduction = *parse_reduction(attrs.reduction);
  const size_t index_axes = indices.rank - 1u;
  const auto depth = static_cast<size_t>(indices.dims[index_axes]);
  Extents out_strides{}, index_strides{};
  for (size_t a = 0; a < updates.rank; ++a) {
    if (a < index_axes)
      index_strides[a] = indices.strides[a];
    else
      out_strides[a] = out[0].strides[a - index_axes + depth];
  }
  walk<3>(updates.rank, updates.dims, {updates.strides, out_strides, index_strides}, [&](const auto& at) {
    int64_t to = at[1];
    bool inside = true;
    for (size_t k = 0; k < depth; ++k) {
      const auto step = static_cast<int64_t>(k) * indices.strides[index_axes];
      const int64_t index = checked_index(load<int64_t>(indices, at[2] + step), out[0].dims[k]);
      inside = inside && index >= 0;
      to += index * out[0].strides[k];
    }
    if (inside) update_element(reduction, updates, at[0], out[0], to);
  });
}

Result<Integers> values(const ScatterNdAttrs& attrs, const InferContext& in) {
  if (attrs.reduction != "none") return std::nullopt;
  return integers_by_moving<infer, reference, 0b101>(attrs, in);
}

}  // namespace

OpDef scatter_nd() {
  return define_op<ScatterNdAttrs>("ScatterND",
                                   {.since_opset = 11, .infer = infer, .values = values, .reference = reference});
}

}  // namespace memline::ops

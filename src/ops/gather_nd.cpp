// GatherND: each last-axis vector of the indices names a slice of x by its leading coordinates, behind batch_dims
// common axes.
//   y[b..., i..., rest...] = x[b..., indices[b..., i..., 0], indices[b..., i..., 1], ..., rest...]
#include "ops/gather.h"
#include "ops/index.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const GatherNdAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY_STATUS(in.expect_rank(0, 1, kMaxRank));
  MEML_TRY_STATUS(in.expect_rank(1, 1, kMaxRank));
  if (in.dtype(1) != DType::i64) return invalid_model("the indices are {}, need i64", in.dtype(1));
  const std::vector<DimExpr>&data = in.dims(0), &indices = in.dims(1);
  if (attrs.batch_dims < 0 || attrs.batch_dims >= std::min(in.rank(0), in.rank(1)))
    return invalid_model("batch_dims {} for data {} and indices {}", attrs.batch_dims, in.type(0).text(),
                         in.type(1).text());
  const std::optional<int64_t> depth = indices.back().constant();
  if (!depth)
    return unsupported("the last extent of the indices ({}) is not known, so the rank is not", indices.back().text());
  if (*depth < 1 || *depth > in.rank(0) - attrs.batch_dims)
    return invalid_model("index vectors of length {} for data {} with batch_dims {}", *depth, in.type(0).text(),
                         attrs.batch_dims);
  for (size_t a = 0; a < static_cast<size_t>(attrs.batch_dims); ++a)
    MEML_TRY_STATUS(in.expect_equal(data[a], indices[a], fmt::format("batch axis {} of data and indices", a)));
  TensorType type = {.dtype = in.dtype(0), .dims = {indices.begin(), indices.end() - 1}};
  type.dims.insert(type.dims.end(), data.begin() + attrs.batch_dims + *depth, data.end());
  if (type.dims.size() > kMaxRank)
    return unsupported("the result has rank {}, at most {} is supported", type.dims.size(), kMaxRank);
  return TensorTypes{std::move(type)};
}

void reference(const GatherNdAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &data = in[0], &indices = in[1];
  const auto batch = static_cast<size_t>(attrs.batch_dims);
  const size_t index_axes = indices.rank - 1u;
  const auto depth = static_cast<size_t>(indices.dims[index_axes]);
  Extents data_strides{}, index_strides{};
  for (size_t a = 0; a < out[0].rank; ++a) {
    if (a < index_axes) index_strides[a] = indices.strides[a];
    if (a < batch) data_strides[a] = data.strides[a];
    if (a >= index_axes) data_strides[a] = data.strides[a - index_axes + batch + depth];
  }
  walk<3>(out[0].rank, out[0].dims, {out[0].strides, data_strides, index_strides}, [&](const auto& at) {
    int64_t from = at[1];
    bool inside = true;
    for (size_t k = 0; k < depth; ++k) {
      const auto step = static_cast<int64_t>(k) * indices.strides[index_axes];
      const int64_t index = checked_index(load<int64_t>(indices, at[2] + step), data.dims[batch + k]);
      inside = inside && index >= 0;
      from += index * data.strides[batch + k];
    }
    if (inside)
      copy_element(data, from, out[0], at[0]);
    else
      store<int64_t>(out[0], at[0], 0);
  });
}

}  // namespace

OpDef gather_nd() {
  return define_op<GatherNdAttrs>(
      "GatherND",
      {.since_opset = 11, .infer = infer, .values = integers_by_moving<infer, reference, 1>, .reference = reference});
}

}  // namespace memline::ops

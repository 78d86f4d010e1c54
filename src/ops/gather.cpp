// Gather: y[before..., i..., behind...] = x[before..., indices[i...], behind...]. With one constant index it is a view.
#include "ops/gather.h"

#include "ops/index.h"
#include "ops/reshape_view.h"
#include "ops/shape_values.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const GatherAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY_STATUS(in.expect_rank(0, 1, kMaxRank));
  MEML_TRY(const int axis, resolve_axis(attrs.axis, in.rank(0), "axis"));
  const std::vector<DimExpr>&data = in.dims(0), &indices = in.dims(1);
  if (data.size() + indices.size() - 1 > kMaxRank)
    return unsupported("the result has rank {}, at most {} is supported", data.size() + indices.size() - 1, kMaxRank);
  MEML_TRY_STATUS(expect_indices(in, 1, data[static_cast<size_t>(axis)]));
  TensorType type = {.dtype = in.dtype(0), .dims = {data.begin(), data.begin() + axis}};
  type.dims.insert(type.dims.end(), indices.begin(), indices.end());
  type.dims.insert(type.dims.end(), data.begin() + axis + 1, data.end());
  return TensorTypes{std::move(type)};
}

// Walks x without its gathered axis, inside each index.
void reference(const GatherAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &data = in[0], &indices = in[1];
  const auto axis = static_cast<size_t>(wrap_axis(attrs.axis, data.rank));
  const size_t added = indices.rank;
  // Strides of the walk over the output's axes, in the data and in the indices.
  Extents data_strides{}, index_strides{};
  for (size_t a = 0; a < out[0].rank; ++a) {
    if (a < axis)
      data_strides[a] = data.strides[a];
    else if (a < axis + added)
      index_strides[a] = indices.strides[a - axis];
    else
      data_strides[a] = data.strides[a - added + 1];
  }
  walk<3>(out[0].rank, out[0].dims, {out[0].strides, data_strides, index_strides}, [&](const auto& at) {
    const int64_t index = checked_index(load<int64_t>(indices, at[2]), data.dims[axis]);
    if (index < 0)
      store<int64_t>(out[0], at[0], 0);
    else
      copy_element(data, at[1] + index * data.strides[axis], out[0], at[0]);
  });
}

std::vector<RowNeed> rows(const GatherAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  const int gathered = wrap_axis(attrs.axis, in.rank(0)), added = in.rank(1);
  std::vector<RowNeed> needs(2);
  if (axis < gathered)
    needs[0] = {.all = false, .axis = axis, .rows = range};
  else if (axis >= gathered + added)
    needs[0] = {.all = false, .axis = axis - added + 1, .rows = range};
  else
    needs[1] = {.all = false, .axis = axis - gathered, .rows = range};
  return needs;
}

std::optional<Placement> view(const GatherAttrs& attrs, const InferContext& in, size_t, size_t input,
                              const Placement& at) {
  const std::vector<DimExpr>* indices = in.values(1);
  if (input != 0 || indices == nullptr || indices->size() != 1 || !indices->front().is_constant()) return std::nullopt;
  const auto axis = static_cast<size_t>(wrap_axis(attrs.axis, in.rank(0)));
  const DimExpr index = *indices->front().constant() < 0 ? in.dims(0)[axis] + indices->front() : indices->front();
  Placement result = {.offset = at.offset + index * at.strides[axis], .strides = at.strides};
  const auto added = static_cast<size_t>(in.rank(1));
  std::vector<DimExpr> dims = in.dims(0);
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), added, 1);
  result.strides.erase(result.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  result.strides.insert(result.strides.begin() + static_cast<std::ptrdiff_t>(axis), added, at.strides[axis]);
  return if_unit_stride(std::move(result), dims);
}

}  // namespace

OpDef gather() {
  return define_op<GatherAttrs>("Gather", {.infer = infer,
                                           .values = integers_by_moving<infer, reference, 1>,
                                           .reference = reference,
                                           .rows = rows,
                                           .view_output = view});
}

}  // namespace memline::ops

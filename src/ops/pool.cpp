// What the pools share: see pool.h.
#include "ops/pool.h"

namespace memline::ops {

Result<TensorType> infer_pool(const WindowAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  MEML_TRY_STATUS(in.expect_rank(0, 3, 5));
  if (attrs.kernel_shape.empty()) return invalid_model("kernel_shape is required");
  MEML_TRY_STATUS(check_windows(attrs, in.rank(0) - 2, attrs.kernel_shape));
  TensorType type{in.dtype(0), {in.dims(0)[0], in.dims(0)[1]}};
  for (size_t i = 0; i < attrs.kernel_shape.size(); ++i) {
    MEML_TRY(DimExpr count, window_count(attrs, static_cast<int>(i), attrs.kernel_shape[i], in.dims(0)[i + 2], in));
    type.dims.push_back(std::move(count));
  }
  return type;
}

std::vector<RowNeed> pool_rows(const WindowAttrs& attrs, const InferContext& in, int axis, RowRange rows) {
  if (axis < 2) return {{.all = false, .axis = axis, .rows = rows}};
  const auto a = static_cast<size_t>(axis);
  const auto range = window_rows(attrs, axis - 2, attrs.kernel_shape[a - 2], in.dims(0)[a], rows);
  if (!range) return {RowNeed{}};
  return {{.all = false, .axis = axis, .rows = *range}};
}

Result<TensorTypes> infer_global_pool(const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  MEML_TRY_STATUS(in.expect_float(0));
  MEML_TRY_STATUS(in.expect_rank(0, 3, kMaxRank));
  TensorType type = in.type(0);
  for (size_t i = 2; i < type.dims.size(); ++i) type.dims[i] = 1;
  return TensorTypes{std::move(type)};
}

std::vector<RowNeed> global_pool_rows(const InferContext&, int axis, RowRange rows) {
  if (axis < 2) return {{.all = false, .axis = axis, .rows = rows}};
  return {RowNeed{}};
}

std::array<int64_t, 3> kernel3(const WindowAttrs& attrs) {
  std::array<int64_t, 3> kernel{1, 1, 1};
  const size_t axes = attrs.kernel_shape.size();
  for (size_t i = 0; i < axes; ++i) kernel[3 - axes + i] = attrs.kernel_shape[i];
  return kernel;
}

}  // namespace memline::ops

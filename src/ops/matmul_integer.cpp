// MatMulInteger: a matrix product of 8-bit integers into 32-bit sums.
//   in   a u8/i8 [..., M, K], b u8/i8 [..., K, N], optional zero points of a and b
//   out  i32 [..., M, N] = sum of (a - a_zero) * (b - b_zero)
#include "ops/matmul_integer.h"

namespace memline::ops {
namespace {

bool one_element(const TensorType& type) { return product(type.dims) == DimExpr(1); }

Status check_parameter(const InferContext& in, size_t parameter, const DimExpr& extent, int axis,
                       std::string_view what) {
  const TensorType& type = in.type(parameter);
  if (one_element(type)) return {};
  const int own = type.rank() == 1 ? 0 : type.rank() - 1 - axis;
  for (int i = type.rank() - 2; i < type.rank(); ++i)
    if (i >= 0 && i != own && type.dims[static_cast<size_t>(i)] != DimExpr(1))
      return invalid_model("input {} is {}, needs one element or one a {}", parameter, type.text(), what);
  return in.expect_equal(type.dims[static_cast<size_t>(own)], extent,
                         fmt::format("input {} has one element a {}", parameter, what));
}

}  // namespace

Status check_row_parameter(const InferContext& in, size_t parameter, size_t matrix) {
  const auto& dims = in.dims(matrix);
  return check_parameter(in, parameter, dims.size() < 2 ? DimExpr(1) : dims[dims.size() - 2], 1, "row");
}
Status check_column_parameter(const InferContext& in, size_t parameter, size_t matrix) {
  const auto& dims = in.dims(matrix);
  return check_parameter(in, parameter, dims.size() < 2 ? DimExpr(1) : dims.back(), 0, "column");
}

Extents row_parameter_strides(const TensorView& parameter, const TensorView& y) {
  if (parameter.rank != 1) return broadcast_strides(parameter, y);
  Extents strides{};
  if (parameter.dim(0) != 1) strides[static_cast<size_t>(y.rank - 2)] = parameter.stride(0);
  return strides;
}
Extents column_parameter_strides(const TensorView& parameter, const TensorView& y) {
  return broadcast_strides(parameter, y);
}

namespace {

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 4));
  for (size_t i : {size_t{0}, size_t{1}})
    if (in.dtype(i) != DType::i8 && in.dtype(i) != DType::u8)
      return invalid_model("input {} is {}, needs i8 or u8", i, in.dtype(i));
  if (in.has(2)) {
    MEML_TRY_STATUS(in.expect_same_dtype(2, 0));
    MEML_TRY_STATUS(check_row_parameter(in, 2, 0));
  }
  if (in.has(3)) {
    MEML_TRY_STATUS(in.expect_same_dtype(3, 1));
    MEML_TRY_STATUS(check_column_parameter(in, 3, 1));
  }
  MEML_TRY(std::vector<DimExpr> dims, matmul_dims(in, 0, 1));
  return TensorTypes{{DType::i32, std::move(dims)}};
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView a_zero = input_or_none(in, 2), b_zero = input_or_none(in, 3), none;
  multiply_integers(in[0], in[1], a_zero, b_zero, out[0], none, none,
                    [&](const auto& at, int64_t sum) { store(out[0], at[0], sum); });
}

std::vector<RowNeed> rows(const NoAttrs&, const InferContext& in, int axis, RowRange range) {
  return matmul_rows(in, 0, 1, axis, range);
}

}  // namespace

OpDef matmul_integer() {
  return define_op<NoAttrs>(
      "MatMulInteger", {.since_opset = 10, .infer = infer, .reference = reference, .rows = rows, .channel_axis = -1});
}

}  // namespace memline::ops

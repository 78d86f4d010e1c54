// Gemm: alpha * a * b + beta * c, a or b transposed first when asked.
//   in   a [M, K], b [K, N], optional c broadcast to [M, N]
//   out  [M, N]
#include "ops/gemm.h"

#include "ops/matmul.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const GemmAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 3));
  MEML_TRY_STATUS(in.expect_rank(0, 2, 2));
  MEML_TRY_STATUS(in.expect_rank(1, 2, 2));
  MEML_TRY_STATUS(in.expect_same_dtype(0, 1));
  if (!is_float(in.dtype(0)) && size_of(in.dtype(0)) < 4)
    return invalid_model("input 0 is {}, needs a floating-point, 32-bit or 64-bit type", in.dtype(0));
  const auto &a = in.dims(0), &b = in.dims(1);
  MEML_TRY_STATUS(in.expect_equal(
      a[attrs.transA ? 0 : 1], b[attrs.transB ? 1 : 0],
      fmt::format("{}{} times {}{}: the inner extents", in.type(0).text(), attrs.transA ? " transposed" : "",
                  in.type(1).text(), attrs.transB ? " transposed" : "")));
  TensorType type{in.dtype(0), {a[attrs.transA ? 1 : 0], b[attrs.transB ? 0 : 1]}};
  if (!in.has(2)) return TensorTypes{std::move(type)};
  MEML_TRY_STATUS(in.expect_same_dtype(0, 2));
  MEML_TRY_STATUS(in.expect_rank(2, 0, 2));
  const auto& c = in.dims(2);
  for (size_t i = 0; i < c.size(); ++i)
    if (c[i] != DimExpr(1))
      MEML_TRY_STATUS(in.expect_equal(c[i], type.dims[2 - c.size() + i], "c broadcasts to the result"));
  return TensorTypes{std::move(type)};
}

TensorView transposed(TensorView view, bool swap) {
  if (!swap) return view;
  std::swap(view.dims[0], view.dims[1]);
  std::swap(view.strides[0], view.strides[1]);
  return view;
}

void reference(const GemmAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView a = transposed(in[0], attrs.transA), b = transposed(in[1], attrs.transB), c = input_or_none(in, 2);
  const TensorView& y = out[0];
  const double alpha = attrs.alpha, beta = attrs.beta;
  multiply<double>(a, b, c, y, [&](int64_t at, double sum, int64_t c_at) {
    store(y, at, alpha * sum + (c.data ? beta * load<double>(c, c_at) : 0.0));
  });
}

std::vector<RowNeed> rows(const GemmAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  if (axis == 0)
    needs[0] = {.all = false, .axis = attrs.transA ? 1 : 0, .rows = range};
  else
    needs[1] = {.all = false, .axis = attrs.transB ? 0 : 1, .rows = range};
  if (!in.has(2)) return needs;
  const int c_axis = axis - (2 - in.rank(2));
  if (c_axis >= 0 && in.dims(2)[static_cast<size_t>(c_axis)] != DimExpr(1))
    needs[2] = {.all = false, .axis = c_axis, .rows = range};
  return needs;
}

}  // namespace

OpDef gemm() {
  return define_op<GemmAttrs>(
      "Gemm", {.since_opset = 7, .infer = infer, .reference = reference, .rows = rows, .channel_axis = -1});
}

}  // namespace memline::ops

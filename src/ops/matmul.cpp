// MatMul: numpy.matmul. in a [..., M, K], b [..., K, N]; out [..., M, N].
#include "ops/matmul.h"

#include "ops/shapes.h"

namespace memline::ops {
namespace {

using Dims = std::vector<DimExpr>;

// The dims before the last two (a: before its matrix).
Dims stack_dims(const Dims& dims) { return dims.size() < 2 ? Dims{} : Dims(dims.begin(), dims.end() - 2); }

TensorView with_axis(const TensorView& view, int axis) {
  TensorView wider = view;
  ++wider.rank;
  for (int i = view.rank; i > axis; --i) {
    wider.dims[static_cast<size_t>(i)] = view.dim(i - 1);
    wider.strides[static_cast<size_t>(i)] = view.stride(i - 1);
  }
  wider.dims[static_cast<size_t>(axis)] = 1;
  wider.strides[static_cast<size_t>(axis)] = 0;
  return wider;
}

}  // namespace

Result<Dims> matmul_dims(const InferContext& in, size_t a, size_t b) {
  MEML_TRY_STATUS(in.expect_rank(a, 1, kMaxRank));
  MEML_TRY_STATUS(in.expect_rank(b, 1, kMaxRank));
  const Dims &x = in.dims(a), &y = in.dims(b);
  const DimExpr depth = x.back(), other = y.size() == 1 ? y[0] : y[y.size() - 2];
  MEML_TRY_STATUS(in.expect_equal(depth, other,
                                  fmt::format("{} times {}: the inner extents", in.type(a).text(), in.type(b).text())));
  MEML_TRY(Dims dims, broadcast_dims(in, stack_dims(x), stack_dims(y)));
  if (x.size() > 1) dims.push_back(x[x.size() - 2]);
  if (y.size() > 1) dims.push_back(y.back());
  return dims;
}

std::vector<RowNeed> matmul_rows(const InferContext& in, size_t a, size_t b, int axis, RowRange rows) {
  std::vector<RowNeed> needs(in.size());
  const int a_rank = in.rank(a), b_rank = in.rank(b);
  if (a_rank < 2 || b_rank < 2) return needs;
  const int rank = std::max(a_rank, b_rank);
  const auto need = [&](size_t input, int input_rank) {
    const int own = axis - (rank - input_rank);
    if (own >= 0 && in.dims(input)[static_cast<size_t>(own)] != DimExpr(1))
      needs[input] = {.all = false, .axis = own, .rows = rows};
  };
  if (axis != rank - 1) need(a, a_rank);
  if (axis != rank - 2) need(b, b_rank);
  return needs;
}

Product product_of(const TensorView& a, const TensorView& b, const TensorView& y) {
  const TensorView left = a.rank == 1 ? with_axis(a, 0) : a, right = b.rank == 1 ? with_axis(b, 1) : b;
  Product p;
  p.y = b.rank == 1 ? with_axis(y, y.rank) : y;
  if (a.rank == 1) p.y = with_axis(p.y, p.y.rank - 1);
  p.depth = left.dim(left.rank - 1);
  p.a_step = left.stride(left.rank - 1);
  p.b_step = right.stride(right.rank - 2);
  p.a_strides = broadcast_strides(left, p.y);
  p.a_strides[static_cast<size_t>(p.y.rank - 1)] = 0;
  p.b_strides = broadcast_strides(right, p.y);
  p.b_strides[static_cast<size_t>(p.y.rank - 2)] = 0;
  return p;
}

namespace {

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY_STATUS(in.expect_same_dtype(0, 1));
  if (!is_float(in.dtype(0)) && size_of(in.dtype(0)) < 4)
    return invalid_model("input 0 is {}, needs a floating-point, 32-bit or 64-bit type", in.dtype(0));
  MEML_TRY(Dims dims, matmul_dims(in, 0, 1));
  return TensorTypes{{in.dtype(0), std::move(dims)}};
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView& y = out[0];
  const auto put = [&](int64_t at, auto sum, int64_t) { store(y, at, sum); };
  if (is_float(in[0].dtype))
    multiply<double>(in[0], in[1], {}, y, put);
  else
    multiply<int64_t>(in[0], in[1], {}, y, put);
}

std::vector<RowNeed> rows(const NoAttrs&, const InferContext& in, int axis, RowRange range) {
  return matmul_rows(in, 0, 1, axis, range);
}

}  // namespace

OpDef matmul() {
  return define_op<NoAttrs>("MatMul", {.infer = infer, .reference = reference, .rows = rows, .channel_axis = -1});
}

}  // namespace memline::ops

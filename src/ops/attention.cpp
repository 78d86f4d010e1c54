// memline.Attention: softmax(scale * q k) v, the softmax over the columns of q k. Made by the pass fuse_attention from
// a MatMul, a Softmax and a MatMul, so that the scores need not be in memory as a whole.
//   in   q [..., M, D], k [..., D, N], v [..., N, E], with equal leading extents
//   out  [..., M, E]
#include "ops/attention.h"

#include <cmath>
#include <limits>
#include <vector>

#include "ops/reference.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const AttentionAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(3, 3));
  MEML_TRY_STATUS(in.expect_float(0));
  MEML_TRY_STATUS(in.expect_rank(0, 2, kMaxRank));
  const auto &q = in.dims(0), &k = in.dims(1), &v = in.dims(2);
  const size_t rank = q.size();
  for (const size_t i : {1u, 2u}) {
    MEML_TRY_STATUS(in.expect_same_dtype(0, i));
    MEML_TRY_STATUS(in.expect_rank(i, in.rank(0), in.rank(0)));
    for (size_t a = 0; a + 2 < rank; ++a)
      MEML_TRY_STATUS(in.expect_equal(q[a], in.dims(i)[a], "leading extents of q, k and v are equal"));
  }
  MEML_TRY_STATUS(in.expect_equal(q[rank - 1], k[rank - 2], "q and k agree in the extent summed over"));
  MEML_TRY_STATUS(in.expect_equal(k[rank - 1], v[rank - 2], "k and v agree in the number of keys"));
  TensorType type = in.type(0);
  type.dims[rank - 1] = v[rank - 1];
  return TensorTypes{std::move(type)};
}

// One row of the output: its scores, their softmax, and the sum of v's rows that it weighs.
struct Row {
  const TensorView &q, &k, &v, &y;
  int64_t q_at, k_at, v_at, y_at;
  double scale;

  void compute(std::vector<double>& scores) const {
    const int d = q.rank - 1, m = q.rank - 2;
    double top = -std::numeric_limits<double>::infinity(), sum = 0;
    for (size_t n = 0; n < scores.size(); ++n) {
      double score = 0;
      for (int64_t i = 0; i < q.dim(d); ++i)
        score += load<double>(q, q_at + i * q.stride(d)) *
                 load<double>(k, k_at + i * k.stride(m) + static_cast<int64_t>(n) * k.stride(d));
      scores[n] = score * scale;
      top = std::fmax(top, scores[n]);
    }
    for (double& score : scores) sum += score = std::exp(score - top);
    for (int64_t e = 0; e < v.dim(d); ++e) {
      double value = 0;
      for (size_t n = 0; n < scores.size(); ++n)
        value += scores[n] / sum * load<double>(v, v_at + static_cast<int64_t>(n) * v.stride(m) + e * v.stride(d));
      store(y, y_at + e * y.stride(d), value);
    }
  }
};

void reference(const AttentionAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &q = in[0], &k = in[1], &v = in[2], &y = out[0];
  const int m = q.rank - 2;
  std::vector<double> scores(static_cast<size_t>(v.dim(m)));
  const Extents outer = extents_where(y, [&](int axis) { return axis < m; });
  walk(y.rank, outer, std::array<Extents, 4>{q.strides, k.strides, v.strides, y.strides}, [&](const auto& at) {
    for (int64_t row = 0; row < y.dim(m); ++row)
      Row{q, k, v, y, at[0] + row * q.stride(m), at[1], at[2], at[3] + row * y.stride(m), attrs.scale}.compute(scores);
  });
}

std::vector<RowNeed> rows(const AttentionAttrs&, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  const int rank = in.rank(0);
  if (axis == rank - 1) return needs;
  needs[0] = {.all = false, .axis = axis, .rows = range};
  if (axis < rank - 2) needs[1] = needs[2] = needs[0];
  return needs;
}

}  // namespace

OpDef attention() {
  return define_op<AttentionAttrs>("Attention",
                                   {.domain = "memline", .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

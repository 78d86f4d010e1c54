// Axes and broadcasting: see shapes.h.
#include "ops/shapes.h"

#include <algorithm>

namespace memline::ops {

Result<int> resolve_axis(int64_t axis, int rank, std::string_view what) {
  if (axis < -rank || axis >= rank) return invalid_model("{} {} is outside [{}, {})", what, axis, -rank, rank);
  return wrap_axis(axis, rank);
}

Result<std::vector<int>> resolve_axes(const std::vector<int64_t>& axes, int rank, std::string_view what) {
  std::vector<int> resolved;
  for (const int64_t axis : axes) {
    MEML_TRY(const int a, resolve_axis(axis, rank, what));
    if (std::find(resolved.begin(), resolved.end(), a) != resolved.end())
      return invalid_model("{} names axis {} twice", what, a);
    resolved.push_back(a);
  }
  return resolved;
}

namespace {

Result<DimExpr> broadcast_dim(const InferContext& in, const DimExpr& a, const DimExpr& b, size_t axis) {
  if (a == b || b.constant() == 1) return a;
  if (a.constant() == 1) return b;
  const std::string what = fmt::format("axis {} of the result broadcasts {} with {}", axis, a.text(), b.text());
  if (a.is_constant() == b.is_constant()) {
    MEML_TRY_STATUS(in.expect_equal(a, b, what));
    return a.node_count() <= b.node_count() ? a : b;
  }
  const DimExpr& number = a.is_constant() ? a : b;
  const DimExpr& other = a.is_constant() ? b : a;
  MEML_TRY_STATUS(in.demand(max(equal(other, number), equal(other, 1)), what));
  return number;
}

}  // namespace

Result<std::vector<DimExpr>> broadcast_dims(const InferContext& in, const std::vector<DimExpr>& a,
                                            const std::vector<DimExpr>& b) {
  const size_t rank = std::max(a.size(), b.size());
  std::vector<DimExpr> dims(rank);
  for (size_t i = 0; i < rank; ++i) {
    const size_t from_right = rank - i;
    const DimExpr one = 1;
    const DimExpr& x = from_right <= a.size() ? a[a.size() - from_right] : one;
    const DimExpr& y = from_right <= b.size() ? b[b.size() - from_right] : one;
    MEML_TRY(dims[i], broadcast_dim(in, x, y, i));
  }
  return dims;
}

}  // namespace memline::ops

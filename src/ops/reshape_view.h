// Placements of views: where a value lies inside another when an op moves nothing.
//   * A tensor whose axes are merged or split keeps its bytes where strides can say so: axes that are merged must
//     follow each other in memory (stride[k] == dims[k+1] * stride[k+1]), in whatever order the other axes lie.
//   * The last axis in memory has stride 1 everywhere in Memline: what would break that is no view.
#pragma once

#include <optional>
#include <vector>

#include "ops/op.h"

namespace memline::ops {

// `at` itself when some axis has stride 1 or there is a single element; nullopt otherwise.
std::optional<Placement> if_unit_stride(Placement at, const std::vector<DimExpr>& dims);

// Where a tensor of dims `from`, lying at `at`, lies as dims `to` in row-major order of its logical axes.
std::optional<Placement> reshaped(const std::vector<DimExpr>& from, const std::vector<DimExpr>& to,
                                  const Placement& at);

// The rows of `from` that rows of `to` need, when the axis is unchanged and so is everything before and behind it.
RowNeed reshaped_rows(const std::vector<DimExpr>& from, const std::vector<DimExpr>& to, int axis, RowRange rows);

}  // namespace memline::ops

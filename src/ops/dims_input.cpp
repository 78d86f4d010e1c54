// Inputs that hold dims: see dims_input.h.
#include "ops/dims_input.h"

namespace memline::ops {

Result<std::vector<DimExpr>> integers_input(const InferContext& in, size_t i, std::string_view what, Interval range) {
  if (in.dtype(i) != DType::i64 && in.dtype(i) != DType::i32)
    return invalid_model("{} (input {}) is {}, needs i64 or i32", what, i, in.dtype(i));
  if (in.rank(i) != 1) return invalid_model("{} (input {}) is {}, needs rank 1", what, i, in.type(i).text());
  MEML_TRY(std::vector<DimExpr> integers, in.integers(i, what, range));
  if (integers.size() > kMaxRank)
    return unsupported("{} (input {}) has {} elements; at most {} axes are supported", what, i, integers.size(),
                       kMaxRank);
  return integers;
}

Result<std::vector<DimExpr>> dims_input(const InferContext& in, size_t i, std::string_view what) {
  MEML_TRY(std::vector<DimExpr> dims, integers_input(in, i, what, {0, kUnbounded}));
  for (const DimExpr& dim : dims)
    if (dim.is_constant() && *dim.constant() < 0)
      return invalid_model("{} (input {}) has the extent {}", what, i, dim.text());
  return dims;
}

}  // namespace memline::ops

// Checks of index inputs: see index.h.
#include "ops/index.h"

namespace memline::ops {

Status expect_indices(const InferContext& in, size_t i, const DimExpr& extent) {
  if (in.dtype(i) != DType::i64 && in.dtype(i) != DType::i32)
    return invalid_model("input {} (indices) is {}, needs i64 or i32", i, in.dtype(i));
  const TensorView* indices = in.constant(i);
  if (indices == nullptr || !extent.is_constant()) return {};
  for (int64_t k = 0; k < indices->elements(); ++k) {
    const auto index = load<int64_t>(*indices, k);
    if (checked_index(index, *extent.constant()) < 0)
      return invalid_model("index {} is outside an axis of extent {}", index, extent.text());
  }
  return {};
}

}  // namespace memline::ops

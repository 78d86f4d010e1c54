// Indices that come from data (Gather, Scatter): negative ones count from the end. The standard calls an index outside
// the axis an error; a run cannot stop in the middle of a kernel, so reading there gives 0 and writing there does
// nothing. Constant indices are checked when the model is read.
#pragma once

#include "ops/op.h"
#include "ops/reference.h"

namespace memline::ops {

// -1 when it is outside.
inline int64_t checked_index(int64_t index, int64_t extent) {
  if (index < 0) index += extent;
  return index < 0 || index >= extent ? -1 : index;
}

inline void copy_element(const TensorView& in, int64_t from, const TensorView& out, int64_t to) {
  with_compute(in.dtype, [&](auto tag) { store(out, to, load<decltype(tag)>(in, from)); });
}

// Input i has an index type and, if it and the extent are constants, every index lies inside.
Status expect_indices(const InferContext& in, size_t i, const DimExpr& extent);

}  // namespace memline::ops

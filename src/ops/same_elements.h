// Reading a tensor's elements in row-major order of its logical axes, whatever its strides: what Reshape, Flatten,
// Squeeze and Unsqueeze do when they cannot be views.
#pragma once

#include "ops/reference.h"

namespace memline::ops {

// The offset of element `flat`, counted in row-major order.
inline int64_t offset_of(const TensorView& view, int64_t flat) {
  int64_t offset = 0;
  for (int axis = view.rank - 1; axis >= 0; --axis) {
    offset += flat % view.dim(axis) * view.stride(axis);
    flat /= view.dim(axis);
  }
  return offset;
}

// out's elements are in's, in row-major order.
inline void copy_in_order(const TensorView& in, const TensorView& out) {
  with_compute(in.dtype, [&](auto tag) {
    int64_t flat = 0;
    walk_broadcast(out, [&](const auto& at) { store(out, at[0], load<decltype(tag)>(in, offset_of(in, flat++))); });
  });
}

}  // namespace memline::ops

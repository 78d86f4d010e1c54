// TensorView: a dtype, a pointer, logical dims, and a stride in elements for each logical axis. It owns nothing. The
// strides say where things lie (NHWC, a channel slice, a row band); the dims are always in ONNX's order. Kernels and
// references index only through strides, so they are right in every order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/layout.h"

namespace memline {

struct TensorView {
  DType dtype = DType::f32;
  uint8_t rank = 0;
  void* data = nullptr;
  std::array<int64_t, kMaxRank> dims{};
  std::array<int64_t, kMaxRank> strides{};  // in elements, by logical axis

  int64_t dim(int axis) const { return dims[static_cast<size_t>(axis)]; }
  int64_t stride(int axis) const { return strides[static_cast<size_t>(axis)]; }
  int64_t elements() const {
    uint64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= static_cast<uint64_t>(dim(i));
    return static_cast<int64_t>(n);
  }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data);
  }

  // Sets the strides of a dense tensor whose axes lie in `order`. Beside an extent of 0 the others may be anything, so
  // the strides, which mean nothing then, may wrap.
  void set_dense(const AxisOrder& order) {
    uint64_t stride = 1;
    for (int i = rank - 1; i >= 0; --i) {
      const size_t axis = order.axes[static_cast<size_t>(i)];
      strides[axis] = static_cast<int64_t>(stride);
      stride *= static_cast<uint64_t>(dims[axis]);
    }
  }
  // Strides of extent-1 axes do not matter.
  bool is_dense(const AxisOrder& order) const {
    uint64_t stride = 1;
    for (int i = rank - 1; i >= 0; --i) {
      const size_t axis = order.axes[static_cast<size_t>(i)];
      if (dims[axis] != 1 && strides[axis] != static_cast<int64_t>(stride)) return false;
      stride *= static_cast<uint64_t>(dims[axis]);
    }
    return true;
  }
};

// A dense row-major view.
template <typename Dims>
TensorView dense_view(DType dtype, void* data, const Dims& dims) {
  TensorView view;
  view.dtype = dtype;
  view.data = data;
  for (const int64_t d : dims) view.dims[view.rank++] = d;
  view.set_dense(AxisOrder::row_major(view.rank));
  return view;
}

}  // namespace memline

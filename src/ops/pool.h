// What MaxPool, AveragePool and the global pools share.
#pragma once

#include "ops/reference.h"
#include "ops/windows.h"

namespace memline::ops {

struct MaxPoolAttrs : WindowAttrs {
  int64_t storage_order = 0;  // 1: Indices count the spatial axes column-major

  void fields(auto&& field) {
    window_fields(field);
    field("ceil_mode", ceil_mode);
    field("storage_order", storage_order);
  }
};

struct AveragePoolAttrs : WindowAttrs {
  bool count_include_pad =
      false;  // elements of the declared pads count as zeros; what ceil_mode hangs over never counts

  void fields(auto&& field) {
    window_fields(field);
    field("ceil_mode", ceil_mode);
    field("count_include_pad", count_include_pad);
  }
};

Result<TensorType> infer_pool(const WindowAttrs& attrs, const InferContext& in);
std::vector<RowNeed> pool_rows(const WindowAttrs& attrs, const InferContext& in, int axis, RowRange rows);

// The output of a global pool: every spatial extent becomes 1.
Result<TensorTypes> infer_global_pool(const InferContext& in);
std::vector<RowNeed> global_pool_rows(const InferContext& in, int axis, RowRange rows);

// f(n, c, o) for each output element of a pool, o its three spatial indices.
template <typename F>
void for_each_window(const TensorView& y, const Spatial& ys, F&& f) {
  for (int64_t n = 0; n < y.dim(0); ++n)
    for (int64_t c = 0; c < y.dim(1); ++c)
      for (int64_t d = 0; d < ys.dims[0]; ++d)
        for (int64_t h = 0; h < ys.dims[1]; ++h)
          for (int64_t w = 0; w < ys.dims[2]; ++w) f(n, c, std::array<int64_t, 3>{d, h, w});
}

// f(i) for each tap of window o, i its three spatial indices in the input, inside or not.
template <typename F>
void for_each_tap(const std::array<Window, 3>& windows, const std::array<int64_t, 3>& o, F&& f) {
  for (int64_t kd = 0; kd < windows[0].kernel; ++kd)
    for (int64_t kh = 0; kh < windows[1].kernel; ++kh)
      for (int64_t kw = 0; kw < windows[2].kernel; ++kw)
        f(std::array<int64_t, 3>{windows[0].start(o[0]) + kd * windows[0].dilation,
                                 windows[1].start(o[1]) + kh * windows[1].dilation,
                                 windows[2].start(o[2]) + kw * windows[2].dilation});
}

inline int64_t spatial_offset(const Spatial& s, const std::array<int64_t, 3>& i) {
  return i[0] * s.strides[0] + i[1] * s.strides[1] + i[2] * s.strides[2];
}
inline bool inside(const Spatial& s, const std::array<int64_t, 3>& i) {
  return i[0] >= 0 && i[0] < s.dims[0] && i[1] >= 0 && i[1] < s.dims[1] && i[2] >= 0 && i[2] < s.dims[2];
}
// The kernel extents as three, for windows3().
std::array<int64_t, 3> kernel3(const WindowAttrs& attrs);

}  // namespace memline::ops

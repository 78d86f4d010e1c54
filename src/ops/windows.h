// Where the windows of convolutions and pools lie. One place for strides, dilations, pads, auto_pad and ceil_mode:
//   * window o on an axis covers input indices o * stride - pad_begin + k * dilation, for k in [0, kernel);
//   * floor: as many windows as lie inside [-pad_begin, in + pad_end). ceil_mode: one more may hang over the end, but
//     none may begin in the end's padding (the text says so since opset 22; before, PyTorch and onnx.reference do it);
//   * SAME_UPPER, SAME_LOWER: ceil(in / stride) windows; the padding that takes depends on the input's extent, so
//     kernels ask window() when they run. The odd element goes to the end (UPPER) or to the beginning (LOWER). VALID
//     imports as no pads.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ops/op.h"

namespace memline::ops {

// The attributes Conv, ConvTranspose and the pools share. An empty list means 1 (strides, dilations) or 0 (pads) on
// every axis; pads are [begin..., end...]; an empty kernel_shape (Conv) means the weights' own.
struct WindowAttrs {
  std::vector<int64_t> kernel_shape, strides, pads, dilations;
  std::string auto_pad = "NOTSET";  // or SAME_UPPER, SAME_LOWER
  bool ceil_mode = false;           // pools

  void window_fields(auto&& field) {
    field("kernel_shape", kernel_shape);
    field("strides", strides);
    field("pads", pads);
    field("dilations", dilations);
    field("auto_pad", auto_pad);
  }
};

// One spatial axis, every number known.
struct Window {
  int64_t kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;

  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  int64_t start(int64_t o) const { return o * stride - pad_begin; }
};

Result<WindowAttrs> import_windows(AttrReader& reader);  // ceil_mode too, where the op has it

// Lists of the right lengths, kernel, strides, dilations >= 1, pads >= 0, a known auto_pad.
Status check_windows(const WindowAttrs& attrs, int spatial_axes, const std::vector<int64_t>& kernel);

// axis counts from 0 over the spatial axes; `in` is the input's extent on it. Allocates nothing.
Window window(const WindowAttrs& attrs, int axis, int64_t kernel, int64_t in);
// The output's extent on a spatial axis. Demands that at least one window fits.
Result<DimExpr> window_count(const WindowAttrs& attrs, int axis, int64_t kernel, const DimExpr& in,
                             const InferContext& context);
// The input rows that output rows need; nullopt when it depends on an extent not known yet (SAME on a dynamic axis).
std::optional<RowRange> window_rows(const WindowAttrs& attrs, int axis, int64_t kernel, const DimExpr& in,
                                    RowRange rows);

// A rank 3 to 5 view's spatial axes as exactly three: leading ones of extent 1 are put before.
struct Spatial {
  std::array<int64_t, 3> dims{1, 1, 1}, strides{0, 0, 0};
  explicit Spatial(const TensorView& view) {
    for (int i = 2; i < view.rank; ++i) {
      dims[static_cast<size_t>(3 - view.rank + i)] = view.dim(i);
      strides[static_cast<size_t>(3 - view.rank + i)] = view.stride(i);
    }
  }
};
// The windows of those three axes; kernel extents are `kernel_dims` (1 on axes put before).
std::array<Window, 3> windows3(const WindowAttrs& attrs, const Spatial& in, const std::array<int64_t, 3>& kernel_dims,
                               int rank);

}  // namespace memline::ops

// From output pixels of a convolution to the pointers a strip wants.
//   * A chunk of consecutive output pixels becomes one or two lists. Where an input row is dense, the taps of a kernel
//   row lie side by
//     side: a pixel whose window does not touch the left or right padding needs one pointer a kernel row, and its strip
//     has kernel_h taps of kernel_w * channels. The other pixels of the chunk have a pointer a tap. The order of the
//     sum is the same.
//   * A pointer into the padding is a pointer to zeros.
#pragma once

#include "cpu/gemm/pixel_list.h"
#include "cpu/gemm/strip_epilogue.h"
#include "ops/windows.h"

namespace memline::cpu {

// One run of a convolution: [N, C, H, W] with run-time extents and strides (in bytes). Rank 3 has H = 1.
struct ConvGeometry {
  const std::byte* in;
  std::byte* out;
  int64_t in_h, in_w;
  int64_t in_stride_n, in_stride_h, in_stride_w;
  int64_t out_n, out_h, out_w;        // the output pixels to compute: a band of the whole
  int64_t first_n, first_y, first_x;  // where that band begins in the output; `in` and `out` point to picture first_n
  int rank;                           // 3 or 4: which logical axes y and x are
  int64_t out_stride_n, out_stride_h, out_stride_w;
  ops::Window y, x;
  bool dense_rows;  // in_stride_w is the bytes of all channels, so that taps lie side by side (dilation 1, one group)

  int64_t pixels() const { return out_n * out_h * out_w; }
};

class ConvPixels {
 public:
  // Bytes of workspace for chunks of up to `capacity` pixels.
  static int64_t bytes(int64_t capacity, int64_t kernel_h, int64_t kernel_w, int64_t steps);
  ConvPixels(std::byte* workspace, int64_t capacity, const ConvGeometry& geometry,
             const StripEpilogue& epilogue) noexcept;

  // Makes the lists of pixels [begin, end), end - begin <= capacity. `group_offset` (bytes) is added to input pointers;
  // `zeros` has kernel_w * channels elements.
  void list(int64_t begin, int64_t end, int64_t group_offset, const std::byte* zeros) noexcept;

  const PixelList& by_tap() const { return by_tap_; }
  const PixelList& by_row() const { return by_row_; }

 private:
  void add_run(PixelList& list, bool rows, int64_t n, int64_t y, int64_t x0, int64_t x1) noexcept;

  const ConvGeometry& g_;
  const StripEpilogue& epilogue_;
  int64_t inner_begin_, inner_end_;  // output columns whose windows touch neither side's padding
  int64_t group_offset_ = 0;
  const std::byte* zeros_ = nullptr;
  PixelList by_tap_, by_row_;
};

}  // namespace memline::cpu

// From output pixels of a convolution to the pointers a strip wants.
//   * By row: where an input row is dense, the taps of a kernel row lie side by side, so a pixel needs one pointer a
//     kernel row and its strip has kernel_h taps of kernel_w * channels. Windows that reach over the left or right edge
//     are copied, padded with zeros, into scratch; there is room for a few.
//   * By tap: otherwise, and where a chunk has too many such windows, a pixel has a pointer a tap.
//   * Padded, for tiles at stride 1: the rows under a chunk are copied with their padding, and the chunk runs on over
//   the
//     columns between the rows. So all its pixels lie at one pitch; the results in between go nowhere.
//   * A pointer into the padding is a pointer to zeros. The order of the sum is the same in all forms.
#pragma once

#include "cpu/gemm/conv_shape.h"
#include "cpu/gemm/pixel_list.h"
#include "cpu/gemm/strip_epilogue.h"

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
  bool dense_rows;  // a kernel row's taps lie side by side

  int64_t pixels() const { return out_n * out_h * out_w; }
};

// What chunks of a convolution need, known at build.
struct ConvChunk {
  int64_t pixels;        // at most
  int64_t row_bytes;     // of a window's row: kernel_w * channels
  int64_t window_bytes;  // kernel_h of those
  int64_t copies;        // windows there is room for
  int64_t capacity;      // of the list: with the pixels between rows
  int64_t padded_bytes;  // room for rows with their padding; 0: not for this convolution
  int64_t nowhere;       // bytes of an output pixel that is not wanted
  int64_t taps, steps;

  ConvChunk(const ConvShape& shape, const StripKernels& kernels, size_t epilogues);
  int64_t workspace() const {
    return PixelList::bytes(capacity, taps, steps) + align_up(copies * window_bytes, 64) + padded_bytes + nowhere;
  }
};

class ConvPixels {
 public:
  ConvPixels(std::byte* workspace, const ConvChunk& chunk, const ConvGeometry& geometry,
             const StripEpilogue& epilogue) noexcept;

  // Lists pixels [begin, end), at most chunk.pixels. `group_offset` (bytes) is added to input pointers; `zeros` has the
  // bytes of a window's row.
  void list(int64_t begin, int64_t end, int64_t group_offset, const std::byte* zeros) noexcept;

  const PixelList& pixels() const { return list_; }
  bool by_row() const { return by_row_; }

 private:
  // Consecutive pixels of one output row.
  struct Run {
    int64_t n, y, x, length;
  };
  int64_t windows_over_edges(int64_t begin, int64_t end) const noexcept;
  bool list_padded(int64_t begin, int64_t end) noexcept;
  void copy_padded_row(const std::byte* row, int64_t width, std::byte* to) const noexcept;
  void add_taps(const Run& run) noexcept;
  void add_rows(const Run& run) noexcept;
  void copy_window(const Run& run, int64_t i) noexcept;
  void add_outputs(const Run& run) noexcept;
  const std::byte* input_row(const Run& run, int64_t ky) const noexcept;  // null in the padding

  const ConvChunk& chunk_;
  const ConvGeometry& g_;
  const StripEpilogue& epilogue_;
  int64_t inner_begin_, inner_end_;  // output columns whose windows reach over neither edge
  int64_t group_offset_ = 0;
  const std::byte* zeros_ = nullptr;
  std::byte* copies_;
  int64_t copied_ = 0;
  bool by_row_ = false;
  PixelList list_;
};

}  // namespace memline::cpu

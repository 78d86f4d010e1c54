// Rows of a picture copied so that a convolution's windows are contiguous: [row][x][channel], with the left and right
// padding as zeros and rows outside the picture all zeros. f32 in any layout; written as f32 or bf16.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/tensor_view.h"

namespace memline::cpu {

struct InterleavedRows {
  const TensorView& x;  // [N, C, H, W], f32 or bf16
  int64_t pad_left;     // columns of zeros before the first
  int64_t columns;      // of the copy, padding included; what lies beyond is left out
  DType dtype;          // of the copy
  int64_t channels;     // of a pixel of the copy: what x does not have is zeros
  void (*interleave_planes)(const float* const planes[3], int64_t pixels, int64_t channels,
                            uint16_t* to);  // StripKernels'

  int64_t row_bytes() const { return columns * channels * size_of(dtype); }
  // Copies row `y` of picture n, which may lie outside the picture.
  void copy(int64_t n, int64_t y, std::byte* row) const noexcept;
};

}  // namespace memline::cpu

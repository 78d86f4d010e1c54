// The inner loops of the strided copy, one set for each pair of dtypes. Strides are in elements.
//   row      n elements, contiguous on both sides
//   tile     na x nb elements: the a axis is contiguous in `in`, the b axis in `out` (a transposition)
//   strided  n elements with any strides
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace memline::cpu {

struct CopyKernels {
  void (*row)(const std::byte* in, std::byte* out, int64_t n) = nullptr;
  void (*tile)(const std::byte* in, int64_t in_stride_b, std::byte* out, int64_t out_stride_a, int64_t na,
               int64_t nb) = nullptr;
  void (*strided)(const std::byte* in, int64_t in_stride, std::byte* out, int64_t out_stride, int64_t n) = nullptr;
};

// Members are null when the pair is not copied: other than the same dtype, f32 <-> bf16, f32 <-> f16.
CopyKernels copy_kernels_avx2(DType in, DType out);

}  // namespace memline::cpu

// Strips for AVX2: 16 registers hold 6x2 (or 4x3) accumulators, the weights and one input. The last block of a layer is
// 8, 16 or 24 channels wide, so at most 7 lanes are wasted.
#include "cpu/gemm/strip.inl.h"

namespace memline::cpu::MEML_LEVEL {

StripKernels strip_kernels_f32() {
  StripKernels kernels{.lanes = kLanes, .main_vectors = 2, .pair = 1};
  put<float, 8, 1>(kernels);
  put<float, 6, 2>(kernels);
  put<float, 4, 3>(kernels);
  return kernels;
}

}  // namespace memline::cpu::MEML_LEVEL

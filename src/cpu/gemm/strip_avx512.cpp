// Strips for AVX-512: 32 registers hold 6x4 accumulators and 4 registers of weights; narrower blocks take more pixels.
#include "cpu/gemm/strip.inl.h"

namespace memline::cpu::MEML_LEVEL {

StripKernels strip_kernels_f32() {
  StripKernels kernels{.lanes = kLanes, .main_vectors = 4, .pair = 1};
  put<float, 12, 1>(kernels);
  put<float, 12, 2>(kernels);
  put<float, 8, 3>(kernels);
  put<float, 6, 4>(kernels);
  return kernels;
}

}  // namespace memline::cpu::MEML_LEVEL

// Strips for AVX512-BF16: as strip_avx512.cpp, two input channels in one instruction, sums, bias and steps in f32.
// Measured (Xeon with AMX at 3.7 GHz, one thread, 2026-12-01, bench_conv --bf16 --plain): 121 GFLOP/s over ResNet-50,
// the peak there, where the instruction takes two cycles; f32 multiplications do 240.
#include "cpu/gemm/strip.inl.h"

namespace memline::cpu::MEML_LEVEL {

StripKernels strip_kernels_bf16() {
  StripKernels kernels{.lanes = kLanes, .main_vectors = 4, .pair = 2};
  kernels.interleave_planes = interleave_planes_to_bf16;
  put<uint16_t, 12, 1>(kernels);
  put<uint16_t, 12, 2>(kernels);
  put<uint16_t, 8, 3>(kernels);
  put<uint16_t, 6, 4>(kernels);
  return kernels;
}

}  // namespace memline::cpu::MEML_LEVEL

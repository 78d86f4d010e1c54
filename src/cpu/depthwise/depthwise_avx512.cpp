// Depthwise convolution compiled for AVX512.
#include "cpu/depthwise/depthwise.inl.h"

namespace memline::cpu {

DepthwiseKernels depthwise_avx512() { return {avx512::kLanes, avx512::run_row<float>, avx512::run_row<uint16_t>}; }

}  // namespace memline::cpu

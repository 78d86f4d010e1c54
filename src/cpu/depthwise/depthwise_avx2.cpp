// Depthwise convolution compiled for AVX2.
#include "cpu/depthwise/depthwise.inl.h"

namespace memline::cpu {

DepthwiseKernels depthwise_avx2() { return {avx2::kLanes, avx2::run_row<float>, avx2::run_row<uint16_t>}; }

}  // namespace memline::cpu

// Elementwise functions compiled for AVX2.
#include "cpu/elementwise/elementwise.inl.h"

namespace memline::cpu {

ElementwiseKernels elementwise_avx2() { return {avx2::find<float>, avx2::find<uint16_t>}; }

}  // namespace memline::cpu

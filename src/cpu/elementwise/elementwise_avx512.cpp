// Elementwise functions compiled for AVX512.
#include "cpu/elementwise/elementwise.inl.h"

namespace memline::cpu {

ElementwiseKernels elementwise_avx512() { return {avx512::find<float>, avx512::find<uint16_t>}; }

}  // namespace memline::cpu

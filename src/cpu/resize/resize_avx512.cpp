// Interpolation compiled for AVX512.
#include "cpu/resize/resize.inl.h"

namespace memline::cpu {

ResizeKernels resize_avx512() { return {avx512::kLanes, avx512::run_row<float>, avx512::run_row<uint16_t>}; }

}  // namespace memline::cpu

// Interpolation compiled for AVX2.
#include "cpu/resize/resize.inl.h"

namespace memline::cpu {

ResizeKernels resize_avx2() { return {avx2::kLanes, avx2::run_row<float>, avx2::run_row<uint16_t>}; }

}  // namespace memline::cpu

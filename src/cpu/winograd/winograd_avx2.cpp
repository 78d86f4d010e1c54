// Winograd convolution compiled for AVX2.
#include "cpu/winograd/winograd.inl.h"

namespace memline::cpu {

WinogradKernels winograd43_avx2() { return avx2::kernels<avx2::F43>(); }
WinogradKernels winograd23_avx2() { return avx2::kernels<avx2::F23>(); }

}  // namespace memline::cpu

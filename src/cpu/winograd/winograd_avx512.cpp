// Winograd convolution compiled for AVX-512.
#include "cpu/winograd/winograd.inl.h"

namespace memline::cpu {

WinogradKernels winograd43_avx512() { return avx512::kernels<avx512::F43>(); }
WinogradKernels winograd23_avx512() { return avx512::kernels<avx512::F23>(); }

}  // namespace memline::cpu

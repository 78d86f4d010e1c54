// The weighted sum compiled for AVX512.
#include "cpu/sampling/weighted_sum.inl.h"

namespace memline::cpu {

SamplingKernels sampling_avx512() { return {avx512::kLanes, avx512::weighted_sum}; }

}  // namespace memline::cpu

// The weighted sum compiled for AVX2.
#include "cpu/sampling/weighted_sum.inl.h"

namespace memline::cpu {

SamplingKernels sampling_avx2() { return {avx2::kLanes, avx2::weighted_sum}; }

}  // namespace memline::cpu

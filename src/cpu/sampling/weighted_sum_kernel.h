// A weighted sum of pixels over their channels, of one CPU level, as plain data: what interpolating ops come down to.
#pragma once

#include <cstdint>

namespace memline::cpu {

// out[c * out_stride] = sum over t of weights[t] * in[t][c], taps in order.
struct WeightedSum {
  const float* const* in;  // [taps]: channel 0 of each pixel, channels contiguous
  const float* weights;    // [taps]
  int64_t taps, channels;
  float* out;
  int64_t out_stride;
};

struct SamplingKernels {
  int lanes;
  void (*sum)(const WeightedSum& sum);
};
SamplingKernels sampling_avx2();
SamplingKernels sampling_avx512();

}  // namespace memline::cpu

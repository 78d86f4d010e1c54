// The weighted sum, a register of channels at a time. Included once by each level's file.
#include "cpu/sampling/weighted_sum_kernel.h"
#include "cpu/simd/vec.h"

namespace memline::cpu::MEML_LEVEL {
namespace {

void weighted_sum(const WeightedSum& s) {
  for (int64_t c = 0; c < s.channels; c += kLanes) {
    const int n = s.channels - c < kLanes ? static_cast<int>(s.channels - c) : kLanes;
    Vec sum = zero();
    if (n == kLanes)
      for (int64_t t = 0; t < s.taps; ++t) sum = fma(set1(s.weights[t]), load(s.in[t] + c), sum);
    else
      for (int64_t t = 0; t < s.taps; ++t) sum = fma(set1(s.weights[t]), load_first(s.in[t] + c, n), sum);
    float* const out = s.out + c * s.out_stride;
    if (s.out_stride == 1) {
      n == kLanes ? store(out, sum) : store_first(out, sum, n);
      continue;
    }
    alignas(64) float lanes[kLanes];
    store(lanes, sum);
    for (int i = 0; i < n; ++i) out[i * s.out_stride] = lanes[i];
  }
}

}  // namespace
}  // namespace memline::cpu::MEML_LEVEL

// Reductions compiled for AVX512.
#include "cpu/reduce/reduce.inl.h"

namespace memline::cpu {

ReduceKernels reduce_avx512() {
  using namespace avx512;
  return {kLanes, columns<float>, columns<uint16_t>, one<float>, one<uint16_t>};
}

}  // namespace memline::cpu

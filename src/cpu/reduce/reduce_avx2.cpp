// Reductions compiled for AVX2.
#include "cpu/reduce/reduce.inl.h"

namespace memline::cpu {

ReduceKernels reduce_avx2() {
  using namespace avx2;
  return {kLanes, columns<float>, columns<uint16_t>, one<float>, one<uint16_t>};
}

}  // namespace memline::cpu

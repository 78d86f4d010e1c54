// Pooling compiled for AVX512.
#include "cpu/pool/pool.inl.h"

namespace memline::cpu {

PoolKernels pool_avx512() {
  using namespace avx512;
  return {.lanes = kLanes,
          .max_f32 = run_row<Max, false, float>,
          .max_bf16 = run_row<Max, false, uint16_t>,
          .average_f32 = run_row<Sum, true, float>,
          .average_bf16 = run_row<Sum, true, uint16_t>};
}

}  // namespace memline::cpu

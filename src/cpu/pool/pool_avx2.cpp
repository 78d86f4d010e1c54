// Pooling compiled for AVX2.
#include "cpu/pool/pool.inl.h"

namespace memline::cpu {

PoolKernels pool_avx2() {
  using namespace avx2;
  return {.lanes = kLanes,
          .max_f32 = run_row<Max, false, float>,
          .max_bf16 = run_row<Max, false, uint16_t>,
          .average_f32 = run_row<Sum, true, float>,
          .average_bf16 = run_row<Sum, true, uint16_t>};
}

}  // namespace memline::cpu

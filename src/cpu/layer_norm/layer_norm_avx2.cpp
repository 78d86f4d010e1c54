// LayerNormalization compiled for AVX2.
#include "cpu/layer_norm/layer_norm.inl.h"

namespace memline::cpu {

LayerNormKernels layer_norm_avx2() {
  using namespace avx2;
  return {kLanes, layer_norm_row<float>, layer_norm_row<uint16_t>};
}

}  // namespace memline::cpu

// LayerNormalization compiled for AVX512.
#include "cpu/layer_norm/layer_norm.inl.h"

namespace memline::cpu {

LayerNormKernels layer_norm_avx512() {
  using namespace avx512;
  return {kLanes, layer_norm_row<float>, layer_norm_row<uint16_t>};
}

}  // namespace memline::cpu

// Softmax compiled for AVX512.
#include "cpu/softmax/softmax.inl.h"

namespace memline::cpu {

SoftmaxKernels softmax_avx512() {
  using namespace avx512;
  return {kLanes, softmax_rows<float>, softmax_rows<uint16_t>, softmax_columns<float>, softmax_columns<uint16_t>};
}

}  // namespace memline::cpu

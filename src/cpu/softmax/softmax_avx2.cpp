// Softmax compiled for AVX2.
#include "cpu/softmax/softmax.inl.h"

namespace memline::cpu {

SoftmaxKernels softmax_avx2() {
  using namespace avx2;
  return {kLanes, softmax_rows<float>, softmax_rows<uint16_t>, softmax_columns<float>, softmax_columns<uint16_t>};
}

}  // namespace memline::cpu

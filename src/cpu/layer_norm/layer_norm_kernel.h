// LayerNormalization of one CPU level, as plain data: rows whose elements are contiguous.
#pragma once

#include <cstdint>

namespace memline::cpu {

struct LayerNormRow {
  const void* in;
  void* out;
  const float* scale;
  const float* bias;  // nullptr: none
  int64_t length;
  float epsilon;
};

struct LayerNormKernels {
  int lanes;
  void (*row_f32)(const LayerNormRow& row);
  void (*row_bf16)(const LayerNormRow& row);
};
LayerNormKernels layer_norm_avx2();
LayerNormKernels layer_norm_avx512();

}  // namespace memline::cpu

// Softmax of one CPU level, as plain data. Strides in elements.
#pragma once

#include <cstdint>

namespace memline::cpu {

// One softmax over `length` elements.
struct SoftmaxRow {
  const void* in;
  void* out;
  int64_t length, in_stride, out_stride;
};
// `columns` softmaxes side by side, each over `length` elements a stride apart; columns are contiguous on both sides.
struct SoftmaxColumns {
  const void* in;
  void* out;
  int64_t columns, length, in_stride, out_stride;
};

struct SoftmaxKernels {
  int lanes;
  void (*row_f32)(const SoftmaxRow& row);
  void (*row_bf16)(const SoftmaxRow& row);
  void (*columns_f32)(const SoftmaxColumns& columns);
  void (*columns_bf16)(const SoftmaxColumns& columns);
};
SoftmaxKernels softmax_avx2();
SoftmaxKernels softmax_avx512();

}  // namespace memline::cpu

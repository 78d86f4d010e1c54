// Softmax of one CPU level, as plain data. Strides in elements.
#pragma once

#include <cstdint>

namespace memline::cpu {

// `rows` softmaxes a pitch apart, each over `length` elements.
struct SoftmaxRows {
  const void* in;
  void* out;
  int64_t length, in_stride, out_stride;
  int64_t rows, in_pitch, out_pitch;
};
// `columns` softmaxes side by side, each over `length` elements a stride apart; columns are contiguous on both sides.
struct SoftmaxColumns {
  const void* in;
  void* out;
  int64_t columns, length, in_stride, out_stride;
};

struct SoftmaxKernels {
  int lanes;
  void (*rows_f32)(const SoftmaxRows& rows);
  void (*rows_bf16)(const SoftmaxRows& rows);
  void (*columns_f32)(const SoftmaxColumns& columns);
  void (*columns_bf16)(const SoftmaxColumns& columns);
};
SoftmaxKernels softmax_avx2();
SoftmaxKernels softmax_avx512();

}  // namespace memline::cpu

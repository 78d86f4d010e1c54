// Reductions of one CPU level, as plain data. Strides in elements.
#pragma once

#include <cstdint>

namespace memline::cpu {

enum class ReduceKind : uint8_t { sum, mean, max, min };

// The reduced axes, outermost first, at least one. The last may be contiguous.
struct ReduceAxes {
  int rank = 0;
  int64_t extents[8] = {}, strides[8] = {};

  int64_t elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= extents[i];
    return n;
  }
};

// `columns` results side by side, contiguous in `in`.
struct ReduceColumns {
  ReduceKind kind;
  const void* in;
  void* out;
  int64_t columns, out_stride;
  const ReduceAxes* axes;
};
// One result; the last reduced axis is read along registers when its stride is 1.
struct ReduceOne {
  ReduceKind kind;
  const void* in;
  void* out;
  const ReduceAxes* axes;
};

struct ReduceKernels {
  int lanes;
  void (*columns_f32)(const ReduceColumns& columns);
  void (*columns_bf16)(const ReduceColumns& columns);
  void (*one_f32)(const ReduceOne& one);
  void (*one_bf16)(const ReduceOne& one);
};
ReduceKernels reduce_avx2();
ReduceKernels reduce_avx512();

}  // namespace memline::cpu

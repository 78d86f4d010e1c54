// MatMul and Gemm as one thing: y[.., m, n] = epilogue(alpha * sum over k of a[.., m, k] * b[.., k, n]).
#pragma once

#include "backend/tactic.h"
#include "cpu/gemm/packed_blocks.h"
#include "cpu/gemm/strip_epilogue.h"

namespace memline::cpu {

// What is known at build.
struct MatrixProduct {
  bool transpose_a = false, transpose_b = false;
  float alpha = 1;
  std::vector<ops::Epilogue> epilogues;  // Gemm's c comes first, as an addition
  int64_t depth = 0, columns = 0;        // at their upper bounds
  bool copies_a = false;                 // k is not innermost in a, so rows are gathered before they are multiplied

  explicit MatrixProduct(const OpCall& call);
  TensorView a(const TensorView& view) const;  // with the matrix axes as [m, k]
  TensorView b(const TensorView& view) const;  // as [k, n]
  PackedShape packed(const StripKernels& kernels) const { return packed(kernels, depth, columns); }
  static PackedShape packed(const StripKernels& kernels, int64_t depth, int64_t columns) {
    return {.blocks = BlockLayout(kernels, columns),
            .taps = 1,
            .depth = depth,
            .pair = kernels.pair,
            .tiles = kernels.tiles};
  }
  // Nanoseconds of one thread: multiplications, or the bytes of b where few rows use them.
  double cost(const OpCall& call, const StripKernels& kernels) const;
};

// What both tactics of this product demand.
Support product_supported(const OpCall& call, const StripKernels& kernels);

}  // namespace memline::cpu

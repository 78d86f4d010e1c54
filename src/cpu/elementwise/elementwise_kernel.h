// Elementwise functions of one CPU level, as plain data: what elementwise_tactic.cpp calls tile by tile.
#pragma once

#include <cstdint>

#include "cpu/simd/epilogue_steps.h"

namespace memline::cpu {

// The op before its epilogues: x alone, or x and y.
enum class ElementwiseKind : uint8_t {
  identity,
  relu,
  leaky_relu,
  clip,
  sigmoid,
  silu,
  hard_sigmoid,
  hard_swish,
  tanh,
  gelu,
  gelu_tanh,
  mish,
  exp,
  log,
  sqrt,
  neg,
  abs,
  erf,
  floor,
  ceil,
  round,
  reciprocal,
  elu,
  softplus,
  sin,
  cos,
  add,
  sub,
  mul,
  div,
  pow,
  min,
  max,
  prelu,
};
constexpr bool is_binary(ElementwiseKind kind) { return kind >= ElementwiseKind::add; }

inline constexpr int kTileColumns = 1024, kTileFloats = 2048, kTileRows = 64;

// Up to kTileRows rows of `columns` elements (at most kTileColumns; rows x columns rounded up to 16 at most
// kTileFloats). Element c of row r of an operand lies at data + offsets[r] + c * stride, in elements of T.
struct ElementwiseTile {
  struct Operand {
    const void* data = nullptr;
    const int64_t* offsets = nullptr;
    int64_t stride = 0;
  };
  int rows, columns;
  Operand x, y;
  void* out;
  const int64_t* out_offsets;
  int64_t out_stride;
  float a, b;  // parameters of the op: leaky_relu's slope, clip's ends, hard_sigmoid's alpha and beta, elu's alpha
  const EpilogueStep* steps;
  int step_count;
  const int64_t* const* step_offsets;  // as EpilogueTile::row_offsets
  int64_t first_column;                // of the steps' operands
};

using ElementwiseFunction = void (*)(const ElementwiseTile& tile);

struct ElementwiseKernels {
  ElementwiseFunction (*find_f32)(ElementwiseKind kind);
  ElementwiseFunction (*find_bf16)(ElementwiseKind kind);
};
ElementwiseKernels elementwise_avx2();
ElementwiseKernels elementwise_avx512();

}  // namespace memline::cpu

// An epilogue list as kernels see it: plain data, filled for each run by BoundEpilogue (cpu/bound_epilogue.h).
#pragma once

#include <cstdint>

#include "ops/epilogue_kind.h"

namespace memline::cpu {

inline constexpr int kMaxEpilogueSteps = 8;

// bias, add and mul read an operand: element [.., c, ..] of row r lies at data + row_offsets[r] + c * channel_stride,
// in elements. A stride is 0 on an axis on which the operand is broadcast.
struct EpilogueStep {
  ops::EpilogueKind kind = ops::EpilogueKind::relu;
  bool is_bf16 = false;  // the operand's elements; f32 otherwise
  float a = 0, b = 0;
  const void* data = nullptr;
  int64_t channel_stride = 0;
};

// One tile of results in f32, and what is to be done to it. Rows are whatever the kernel computes channels for: output
// pixels.
struct EpilogueTile {
  float* values;  // [rows][width]
  int rows;
  int width;              // a multiple of the level's kLanes
  int64_t first_channel;  // of column 0
  int channels;           // columns that count; beyond them no operand is read
  const EpilogueStep* steps;
  int step_count;
  const int64_t* const* row_offsets;  // [step]: an offset a row, in elements; null for steps without an operand
};

}  // namespace memline::cpu

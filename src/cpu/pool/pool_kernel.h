// Pooling of one CPU level, as plain data: one output row of a range of channels.
#pragma once

#include <cstdint>

#include "cpu/simd/epilogue_steps.h"

namespace memline::cpu {

// Channels contiguous; strides in elements.
struct PoolRow {
  const void* in;          // column 0 of the first input row that counts, first channel
  int64_t in_w, row_step;  // row_step: from one row that counts to the next
  int64_t rows;            // how many count
  void* out;               // column 0, first channel
  int64_t out_w;
  int64_t width, out_width;
  int64_t kernel_w, stride_w, dilation_w, pad_left, pad_right;
  bool count_pads;    // average: columns of the pads count
  int64_t row_count;  // average: rows of the window that count
  int64_t first_channel, channels;
  const EpilogueStep* steps;
  int step_count;
  const int64_t* step_base;     // [step]: the operand's offset at column 0
  const int64_t* step_strides;  // [step]: from column to column
  float* scratch;               // [width][channels rounded up to a register]
};

inline constexpr int64_t kPoolTileFloats = 2048;  // channels of a row, at most

struct PoolKernels {
  int lanes;
  void (*max_f32)(const PoolRow& row);
  void (*max_bf16)(const PoolRow& row);
  void (*average_f32)(const PoolRow& row);
  void (*average_bf16)(const PoolRow& row);
};
PoolKernels pool_avx2();
PoolKernels pool_avx512();

}  // namespace memline::cpu

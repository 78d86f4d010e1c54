// Depthwise convolution of one CPU level, as plain data: one output row of a range of channels.
#pragma once

#include <cstdint>

#include "cpu/simd/epilogue_steps.h"

namespace memline::cpu {

// Channels contiguous; strides in elements. Weights [kernel_h][kernel_w][padded_channels].
struct DepthwiseRow {
  const void* in;  // the picture's row 0, column 0, channel 0
  int64_t in_h, in_w;
  void* out;  // the row's column 0, channel 0
  int64_t out_w;
  int64_t width, out_width;  // columns
  int64_t first_y;           // the input row under tap row 0; may be negative
  int64_t ky_begin, ky_end;  // tap rows that lie inside the input
  int64_t kernel_w, stride_w, dilation_w, dilation_h, pad_left;
  const float* weights;
  int64_t padded_channels;
  int64_t first_channel, channels;  // first_channel is a multiple of a register; at most kDepthwiseChannels
  const float* bias;                // what the sums begin with, by channel; null for zeros
  // direct: there are no steps, results are clipped and, with hard_swish, that is taken of them, in registers.
  bool direct, hard_swish;
  float low, high;
  const EpilogueStep* steps;
  int step_count;
  const int64_t* step_base;     // [step]: the operand's offset at column 0
  const int64_t* step_strides;  // [step]: from column to column
};

inline constexpr int64_t kDepthwiseChannels = 128;

struct DepthwiseKernels {
  int lanes;
  void (*row_f32)(const DepthwiseRow& row);
  void (*row_bf16)(const DepthwiseRow& row);
};
DepthwiseKernels depthwise_avx2();
DepthwiseKernels depthwise_avx512();

}  // namespace memline::cpu

// Interpolation of one CPU level, as plain data: one output row of a range of channels.
#pragma once

#include <cstdint>

namespace memline::cpu {

inline constexpr int kMaxResizeTaps = 4;  // linear 2, cubic 4

// What one output index weighs along an axis: `count` input indices, clamped to the input.
struct ResizeWeights {
  int32_t count = 1;
  int32_t index[kMaxResizeTaps] = {};
  float weight[kMaxResizeTaps] = {};
};

// Channels contiguous; strides in elements; both images at their first channel.
struct ResizeRow {
  const void* in;  // row 0, column 0
  int64_t in_h, in_w;
  void* out;  // column 0 of the output row
  int64_t out_w;
  int64_t width, out_width;
  const ResizeWeights* y;        // of the output row
  const ResizeWeights* columns;  // [out_width]
  int64_t channels;
  float* scratch;  // [width][channels rounded up to a register]
};

struct ResizeKernels {
  int lanes;
  void (*row_f32)(const ResizeRow& row);
  void (*row_bf16)(const ResizeRow& row);
};
ResizeKernels resize_avx2();
ResizeKernels resize_avx512();

}  // namespace memline::cpu

// Winograd convolution 3x3, stride 1, of one CPU level, as plain data and functions: what winograd_tactic.cpp shares
// out over the participants and winograd.inl.h computes.
//
// F(m x m, 3x3): the output is cut into tiles of m x m pixels; each needs (m + 2)^2 input pixels, and after a linear
// transform of input, weights and output the convolution is (m + 2)^2 independent matrix products ("planes") of tiles x
// input channels x output channels: 9 m^2 / (m + 2)^2 times fewer multiplications than a direct convolution, 4 for m =
// 4, 2.25 for m = 2.
//
// Output channels go in blocks of `block` (two registers; the last may be one register wide), blocks in chunks of
// kWinogradChunk. Transformed weights u: [block of channels][plane][input channel][channel of the block], channels
// rounded up to a register.
#pragma once

#include <cstdint>

#include "cpu/simd/epilogue_steps.h"

namespace memline::cpu {

inline constexpr int64_t kWinogradChunk = 64;

// Weights as they lie before the transform: [3][3][ic][padded_oc].
struct WinogradWeights {
  const float* raw;
  int64_t ic, padded_oc;
  int64_t first_channel, channels;  // what to transform; both multiples of a register, first_channel of a block
  float* u;                         // of first_channel
};

struct WinogradTiles {
  const void* in;  // channels contiguous; strides in elements
  int64_t in_n, in_h, in_w;
  void* out;
  int64_t out_n, out_h, out_w;
  int64_t h, w, ow, ic;
  int64_t pad_top, pad_left;
  int64_t row_begin, row_end;  // output rows to store
  int64_t first_picture, first_tile_row, tile_rows, tile_columns;
  const float* u;                   // of first_channel
  int64_t first_channel, channels;  // output channels to compute: whole chunks, or up to the last
  const EpilogueStep* steps;
  int step_count;
  const int64_t* step_strides;  // [step][3]: the operand's strides for n, h, w
};

struct WinogradKernels {
  int lanes;      // channels a register
  int tile;       // m
  int planes;     // (m + 2)^2
  int tile_unit;  // tiles a register block takes: a run of tiles should be a multiple of it
  // Transforms weights of input channels [ic_begin, ic_end).
  void (*weights)(const WinogradWeights& weights, int64_t ic_begin, int64_t ic_end);
  // Computes tiles [begin, end), counted over batch, tile rows, tile columns. scratch: see winograd_scratch_floats.
  void (*tiles_f32)(const WinogradTiles& tiles, int64_t begin, int64_t end, float* scratch);
  void (*tiles_bf16)(const WinogradTiles& tiles, int64_t begin, int64_t end, float* scratch);
};

// Floats from one plane of `rows` x `columns` to the next: an odd number of cache lines, so that the planes that a
// transform touches together fall into different sets of the caches.
inline int64_t winograd_plane_floats(int64_t rows, int64_t columns) { return ((rows * columns + 15) / 16 | 1) * 16; }

// Scratch of a run of `tiles` tiles: V, and M or the rows of one tile on their way to V.
inline int64_t winograd_scratch_floats(const WinogradKernels& kernels, int64_t tiles, int64_t ic, int64_t padded_oc) {
  const int64_t v_row = (ic + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
  const int64_t m_row = padded_oc < kWinogradChunk ? padded_oc : kWinogradChunk;
  const int64_t m_plane = winograd_plane_floats(tiles, m_row);
  return kernels.planes * (winograd_plane_floats(tiles, v_row) + (m_plane > v_row ? m_plane : v_row));
}

WinogradKernels winograd43_avx2();
WinogradKernels winograd23_avx2();
WinogradKernels winograd43_avx512();
WinogradKernels winograd23_avx512();

}  // namespace memline::cpu

// The strip: the one inner kernel of the GEMM family. It computes a block of output channels for a list of pixels,
//   out[p][c] = epilogue(bias[c] + sum over taps t and input channels k of inputs[t][p][k] * weights[t][k][c]),
// where every pixel and tap brings its own pointer (the indirection): padding is a pointer to zeros, a matrix product
// is one tap.
//   * Sum: one accumulator an output element, taps then channels in ascending order, fused multiply-adds. So neither
//     the place of a pixel in a strip nor the number of pixels changes a bit.
//   * Weights: [tap][k][width], width = vectors * lanes, 64-byte aligned; columns beyond `channels` are zeros.
//     bf16: [tap][pair of k][width][2], the second of an odd last pair zero. For tiles the k of a tap are padded with
//     zeros to whole parts (tile_depth).
//   * Reads `depth` elements from each input pointer and writes `channels` elements a pixel: no byte beyond.
//   * A level exports its kernels as a table of functions (strip_<level>.cpp); the rest of the family is base code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/simd/epilogue_steps.h"

namespace memline::cpu {

// Elements are float, or uint16_t holding bf16, as the kernel says.
struct StripArgs {
  const void* const* inputs;  // [tap][input_stride]: the first channel under each output pixel
  int64_t input_stride;
  int64_t taps;
  int64_t depth;  // input channels a tap
  // An input that points here reads zeros, and the weights are finite: a tap under which all of a tile's pixels do is
  // left out. (A sum of -0 is stored as +0 then, so that it cannot be told which taps were.) Null: every tap counts.
  const void* zeros;
  const void* weights;
  // What will be read after this strip, fetched into L2 while it runs: tile i of it fetches from ahead + i *
  // ahead_per_tile on, ahead_step bytes an input channel. Null: nothing.
  const std::byte* ahead;
  int64_t ahead_per_tile, ahead_step;
  int64_t pixels;
  void* const* outputs;  // [pixel]: channel 0 of each output pixel
  bool f32_outputs;      // of bf16 kernels, too
  int64_t first_channel;
  int channels;
  const float* bias;  // [channel], of all channels; null is zero

  // What is done to the sums: all steps, with the operands' offsets by step and pixel.
  const EpilogueStep* steps;
  int step_count;
  const int64_t* const* row_offsets;
  // Set when the steps are at most an addition of a whole tensor of the output's element type, then limits: done in
  // registers.
  bool direct;
  const void* residual;  // null when nothing is added
  const int64_t* residual_offsets;
  float low, high;
};

using StripFunction = void (*)(const StripArgs&);

struct StripKernels {
  static constexpr int kMaxVectors = 4;
  int lanes = 0;
  int main_vectors = 0;                       // of a full block
  int pair = 1;                               // consecutive input channels in one multiplication: 2 for bf16
  StripFunction strip[kMaxVectors + 1] = {};  // by vectors a block
  int rows[kMaxVectors + 1] = {};             // pixels a tile: strips of a multiple of it waste nothing
  int chunk_pixels = 96;                      // of a task, at most
  int chunk_unit = 12;                        // a task has a multiple of it, but for the last: the tiles of every width

  // Three planes of f32 to pixels of three bf16, or four with a zero; null where the element is f32.
  void (*interleave_planes)(const float* const planes[3], int64_t pixels, int64_t channels, uint16_t* to) = nullptr;

  // AMX: a thread configures its tiles for a depth before its strips and releases them after (StripSession).
  bool tiles = false;
  void (*begin)(int64_t depth) = nullptr;
  void (*end)() = nullptr;
};

// Input channels of one multiplication of tiles: equal even parts of `depth`, at most 32 each. The last may reach
// beyond it.
static constexpr int64_t tile_depth(int64_t depth) {
  const int64_t parts = depth <= 32 ? 1 : (depth + 31) / 32;
  const int64_t part = (depth + parts - 1) / parts;
  return part < 2 ? 2 : (part + 1) / 2 * 2;
}

// Strips of one depth run on this thread while it lives.
class StripSession {
 public:
  StripSession(const StripKernels& kernels, int64_t depth) : end_(kernels.end) {
    if (kernels.begin) kernels.begin(depth);
  }
  ~StripSession() {
    if (end_) end_();
  }
  StripSession(const StripSession&) = delete;
  StripSession& operator=(const StripSession&) = delete;

 private:
  void (*end_)();
};

namespace avx2 {
StripKernels strip_kernels_f32();
}
namespace avx512 {
StripKernels strip_kernels_f32();
}
namespace avx512_bf16 {
StripKernels strip_kernels_bf16();
void interleave_planes_to_bf16(const float* const planes[3], int64_t pixels, int64_t channels, uint16_t* to);
}  // namespace avx512_bf16
namespace amx {
StripKernels strip_kernels_bf16();
}

}  // namespace memline::cpu

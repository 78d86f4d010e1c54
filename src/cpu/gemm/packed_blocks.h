// How a strip's weights are packed: output channels in blocks of whole registers, [block][tap][input channel][width].
// One packing a level and element type, whatever the shapes, batch and threads of a run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/size.h"
#include "cpu/gemm/strip.h"
#include "tensor/half.h"

namespace memline::cpu {

// The blocks of `channels` output channels: full ones, then what is left, joined to the last full block where a strip
// takes that.
class BlockLayout {
 public:
  BlockLayout(const StripKernels& kernels, int64_t channels);

  int64_t count() const { return count_; }
  int vectors(int64_t block) const { return block + 1 == count_ ? last_vectors_ : main_vectors_; }
  int64_t width(int64_t block) const { return int64_t{vectors(block)} * lanes_; }
  int64_t first_channel(int64_t block) const { return block * main_vectors_ * lanes_; }
  int channels(int64_t block) const {  // that count; the rest of the width is padding
    return static_cast<int>(block + 1 == count_ ? channels_ - first_channel(block) : width(block));
  }
  int64_t padded_channels() const { return count_ == 0 ? 0 : first_channel(count_ - 1) + width(count_ - 1); }

 private:
  int lanes_, main_vectors_, last_vectors_ = 0;
  int64_t channels_, count_ = 0;
};

// The weights of one group of output channels.
struct PackedShape {
  BlockLayout blocks;
  int64_t taps, depth;  // depth: input channels a tap
  int pair;             // 1: f32 elements; 2: bf16, in pairs of input channels

  bool tiles = false;  // k is padded to whole tiles

  int64_t element_bytes() const { return pair == 1 ? 4 : 2; }
  int64_t padded_depth() const {
    const int64_t unit = tiles ? tile_depth(depth) : pair;
    return ceil_div(depth, unit) * unit;
  }
  int64_t block_bytes(int64_t width) const { return taps * padded_depth() * width * element_bytes(); }
  int64_t block_offset(int64_t block) const { return block_bytes(blocks.first_channel(block)); }
  int64_t bytes() const { return block_bytes(blocks.padded_channels()); }
};

// Lets the strip of block `block`, which is not the last, fetch the next one's weights into L2: its first tile would
// wait for memory (7x7 pixels by 512 channels: half of its time).
void fetch_next_block(const StripKernels& kernels, const PackedShape& shape, int64_t block, StripArgs& strip) noexcept;

// Multiplications (of padded channels too) a nanosecond and thread, for stored costs: 0.85 of two units at 3.2 GHz.
// Tiles do 512 a cycle; memory and epilogues leave a quarter of it.
inline double products_per_ns(const StripKernels& kernels) {
  return kernels.tiles ? 450 : kernels.lanes * kernels.pair * 5.5;
}

// Writes block `block`; weight(channel, tap, k) gives a float for channel in [0, channels), k in [0, depth).
template <typename Weight>
void pack_block(const PackedShape& shape, int64_t block, std::byte* out, Weight&& weight) {
  const int64_t width = shape.blocks.width(block), first = shape.blocks.first_channel(block);
  const int64_t channels = shape.blocks.channels(block);
  for (int64_t tap = 0; tap < shape.taps; ++tap) {
    for (int64_t k = 0; k < shape.padded_depth(); k += shape.pair) {
      for (int64_t c = 0; c < width; ++c) {
        for (int64_t i = k; i < k + shape.pair; ++i) {
          const float value = c < channels && i < shape.depth ? weight(first + c, tap, i) : 0.0f;
          if (shape.pair == 1) {
            *reinterpret_cast<float*>(out) = value;
          } else {
            *reinterpret_cast<uint16_t*>(out) = f32_to_bf16(value);
          }
          out += shape.element_bytes();
        }
      }
    }
  }
}

}  // namespace memline::cpu

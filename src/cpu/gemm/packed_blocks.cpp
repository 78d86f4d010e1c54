#include "cpu/gemm/packed_blocks.h"

namespace memline::cpu {

BlockLayout::BlockLayout(const StripKernels& kernels, int64_t channels)
    : lanes_(kernels.lanes), main_vectors_(kernels.main_vectors), channels_(channels) {
  const int64_t full_width = int64_t{lanes_} * main_vectors_;
  const int64_t full = channels / full_width;
  const int rest = static_cast<int>(ceil_div(channels - full * full_width, lanes_));
  const int joined = main_vectors_ + rest;
  if (rest == 0) {
    count_ = full;
    last_vectors_ = main_vectors_;
  } else if (full > 0 && joined <= StripKernels::kMaxVectors && kernels.strip[joined]) {
    count_ = full;
    last_vectors_ = joined;
  } else {
    count_ = full + 1;
    last_vectors_ = rest;
  }
}

// Hardware streams smaller blocks in time; one tile has nothing to hide the fetching behind.
void fetch_next_block(const StripKernels& kernels, const PackedShape& shape, int64_t block, StripArgs& strip) noexcept {
  constexpr int64_t kStreamed = 64 << 10;
  const int64_t bytes = shape.block_bytes(shape.blocks.width(block + 1));
  const int64_t tiles = ceil_div(strip.pixels, kernels.rows[shape.blocks.vectors(block)]);
  if (kernels.tiles || bytes < kStreamed || tiles < 2) return;
  strip.ahead =
      static_cast<const std::byte*>(strip.weights) + shape.block_offset(block + 1) - shape.block_offset(block);
  strip.ahead_per_tile = ceil_div(bytes, tiles);
  strip.ahead_step = ceil_div(strip.ahead_per_tile, strip.taps * strip.depth);
}

}  // namespace memline::cpu

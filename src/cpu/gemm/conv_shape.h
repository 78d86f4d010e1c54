// What a convolution's call says at build, shared by the convolution tactics: extents of the weights, and their
// packing.
#pragma once

#include "backend/tactic.h"
#include "cpu/gemm/packed_blocks.h"
#include "ops/conv.h"

namespace memline::cpu {

struct ConvShape {
  ops::ConvAttrs attrs;
  int rank = 4;                                                // 3 has one spatial axis: kernel_h is 1
  int64_t kernel_h = 1, kernel_w = 1, depth = 1, outputs = 1;  // depth, outputs: input and output channels a group
  bool has_bias = false;

  ConvShape() = default;
  explicit ConvShape(const OpCall& call);
  int64_t taps() const { return kernel_h * kernel_w; }

  // A strip's taps and depth: pixels may be addressed by tap or by kernel row, the bytes are the same.
  PackedShape packed(const StripKernels& kernels) const {
    return {.blocks = BlockLayout(kernels, outputs),
            .taps = taps(),
            .depth = depth,
            .pair = kernels.pair,
            .tiles = kernels.tiles};
  }
  // Copied pixels of three channels get a fourth of zeros for tiles: then a row of taps is even, and read where it
  // lies.
  int64_t copied_channels(const StripKernels& kernels) const { return kernels.tiles && depth == 3 ? 4 : depth; }
  PackedShape packed_by_row(const StripKernels& kernels) const {
    return {.blocks = BlockLayout(kernels, outputs),
            .taps = kernel_h,
            .depth = kernel_w * copied_channels(kernels),
            .pair = kernels.pair,
            .tiles = kernels.tiles};
  }
  // Writes every group's blocks in the given shape, one of the two above; weights come from input 1.
  void pack(const OpCall& call, const PackedShape& shape, std::byte* out) const;

  double products(const OpCall& call, const StripKernels& kernels) const;  // with padding, at the bound
};

// What the convolution tactics demand of everything but x.
Support conv_supported(const OpCall& call, const StripKernels& kernels);
Support operands_supported(const OpCall& call, const StripKernels& kernels);  // of a convolution or its transpose

}  // namespace memline::cpu

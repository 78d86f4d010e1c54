#include "cpu/gemm/conv_runner.h"

#include <cmath>
#include <cstring>

#include "cpu/gemm/work_shares.h"
#include "ops/reference.h"

namespace memline::cpu {

void ConvRunner::pack_tail(const ConvShape& shape, const StripKernels& kernels, const TensorView& weights,
                           std::byte* packed) {
  bool all_finite = true;
  for (int64_t i = 0; i < weights.elements(); ++i) all_finite &= std::isfinite(ops::load<float>(weights, i));
  std::byte* const tail = packed + shape.packed(kernels).bytes() * shape.attrs.group;
  std::memset(tail, 0, static_cast<size_t>(packed + packed_bytes(shape, kernels) - tail));
  *tail = std::byte{all_finite};
}

// Tiles sum a tap in parts, so a row of taps would be another order: they take one form only.
bool ConvRunner::dense_rows(const ops::Window& x, int64_t stride_w) const {
  return x.kernel == 1 || (!kernels_.tiles && shape_.attrs.group == 1 && x.dilation == 1 && stride_w == shape_.depth &&
                           shape_.depth % kernels_.pair == 0);
}

void ConvRunner::run(const KernelArgs& args, const ConvGeometry& geometry,
                     const StripEpilogue& epilogue) const noexcept {
  const WorkShares shares(geometry.pixels(), chunk_.pixels, shape_.attrs.group, packed_shape_.blocks.count(),
                          args.parallel->width(), kernels_.chunk_unit);
  const int64_t scratch = chunk_.workspace();
  const std::byte* const zeros = packed_ + shape_.attrs.group * packed_shape_.bytes() + kFlagBytes;
  args.parallel->for_each(shares.tasks(), [&](int64_t task, int participant) {
    ConvPixels pixels(args.workspace.data() + participant * scratch, chunk_, geometry, epilogue);
    const StripSession session(kernels_, shape_.depth);
    const auto [group, begin, end, first, last] = shares.task(task);
    pixels.list(begin, end, group * shape_.depth * packed_shape_.element_bytes(), zeros);
    for (int64_t block = first; block < last; ++block) run_strip(pixels, epilogue, group, block, last);
  });
}

void ConvRunner::run_strip(const ConvPixels& pixels, const StripEpilogue& epilogue, int64_t group, int64_t block,
                           int64_t last_block) const noexcept {
  const PixelList& list = pixels.pixels();
  const std::byte* const flag = packed_ + shape_.attrs.group * packed_shape_.bytes();
  const bool all_finite = shape_.taps() > 1 && *flag != std::byte{0};
  const BlockLayout& blocks = packed_shape_.blocks;
  StripArgs strip{.inputs = list.inputs,
                  .input_stride = list.capacity,
                  .taps = pixels.by_row() ? shape_.kernel_h : shape_.taps(),
                  .depth = pixels.by_row() ? shape_.kernel_w * shape_.depth : shape_.depth,
                  .zeros = all_finite ? flag + kFlagBytes : nullptr,
                  .weights = packed_ + group * packed_shape_.bytes() + packed_shape_.block_offset(block),
                  .pixels = list.count,
                  .outputs = list.outputs,
                  .first_channel = group * shape_.outputs + blocks.first_channel(block),
                  .channels = blocks.channels(block)};
  if (block + 1 < last_block) fetch_next_block(kernels_, packed_shape_, block, strip);
  epilogue.fill(strip, list.offsets);
  kernels_.strip[blocks.vectors(block)](strip);
}

}  // namespace memline::cpu

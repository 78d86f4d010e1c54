// Depthwise convolution, channels-last, f32 arithmetic, T = float or bf16. Included once by each level's file.
//   * A block is up to 8 neighbouring pixels of a row, register of channels by register. For 3 and 5 columns at
//     stride 1 or 2, and 7 at stride 1, each input register is loaded once a block and tap row and used by every pixel
//     whose window holds it; dilated windows of 3 and 5 columns at stride 1 are such windows on every d-th column; any
//     other window loads it for each tap.
//   * Sum: tap rows, then taps from left to right, in every path; taps outside the input are left out. So an element
//     depends on its own window only.
//   * A bias is what the sums begin with. Clip and HardSwish are done in registers; for other epilogues results of up
//     to 16 pixels x 128 channels lie in an 8 KiB tile. Channel tails are masked.
#include "cpu/depthwise/depthwise_kernel.h"
#include "cpu/simd/epilogue.h"
#include "cpu/simd/vec.h"

namespace memline::cpu::MEML_LEVEL {
namespace {

constexpr int kTilePixels = 16;

// A register of channels: kWhole, or the first `channels` of one.
template <bool kWhole, typename T>
MEML_INLINE Vec load_channels(const T* p, int channels) {
  if constexpr (kWhole)
    return load(p);
  else
    return load_first(p, channels);
}

// Where a block reads: `column` is the input column under its first pixel's first tap.
template <typename T>
struct Source {
  const T* in;     // at `column` of tap row ky_begin, first channel
  const float* w;  // of tap row ky_begin, first channel
  const float* bias;
  int64_t column;

  Source at_channel(int64_t c) const { return {in + c, w + c, bias ? bias + c : nullptr, column}; }
};

// Where a block's pixels go: the tile, or the output itself.
template <typename T>
struct Target {
  float* tile;
  int64_t tile_w;
  T* out;
  int64_t out_w;

  Target at_pixel(int64_t p) const { return {tile + p * tile_w, tile_w, out + p * out_w, out_w}; }
  Target at_channel(int64_t c) const { return {tile + c, tile_w, out + c, out_w}; }
};

template <bool kWhole, typename T>
MEML_INLINE void put(const DepthwiseRow& row, Vec x, int channels, const Target<T>& to) {
  if (!row.direct) return store(to.tile, x);
  x = row.hard_swish ? hard_swish(x) : clip(x, row.low, row.high);
  if constexpr (kWhole)
    store(to.out, x);
  else
    store_first(to.out, x, channels);
}
template <bool kWhole, typename T>
MEML_INLINE Vec start(const Source<T>& from, int channels) {
  return from.bias ? load_channels<kWhole>(from.bias, channels) : zero();
}

// One register of channels of kPixels pixels. kInside: every column lies inside the row.
template <int kKernel, int kStride, int kPixels, bool kInside, bool kWhole, typename T>
MEML_INLINE void block_register(const DepthwiseRow& row, Source<T> from, int channels, const Target<T>& to) {
  constexpr int kColumns = (kPixels - 1) * kStride + kKernel;
  Vec acc[kPixels];
#pragma GCC unroll 8
  for (int p = 0; p < kPixels; ++p) acc[p] = start<kWhole>(from, channels);
  for (int64_t ky = row.ky_begin; ky < row.ky_end; ++ky) {
    Vec weights[kKernel];
#pragma GCC unroll 7
    for (int kx = 0; kx < kKernel; ++kx) weights[kx] = load(from.w + kx * row.padded_channels);
    const T* in = from.in;
#pragma GCC unroll 20
    for (int x = 0; x < kColumns; ++x, in += row.in_w) {
      if (!kInside && (from.column + x < 0 || from.column + x >= row.width)) continue;
      const Vec v = load_channels<kWhole>(in, channels);
#pragma GCC unroll 7
      for (int kx = 0; kx < kKernel; ++kx)
        if (x >= kx && (x - kx) % kStride == 0 && (x - kx) / kStride < kPixels)
          acc[(x - kx) / kStride] = fma(v, weights[kx], acc[(x - kx) / kStride]);
    }
    from.in += row.dilation_h * row.in_h;
    from.w += kKernel * row.padded_channels;
  }
#pragma GCC unroll 8
  for (int p = 0; p < kPixels; ++p) put<kWhole>(row, acc[p], channels, to.at_pixel(p));
}

// All channels of kPixels neighbouring pixels.
template <int kKernel, int kStride, int kPixels, bool kInside, typename T>
__attribute__((noinline)) void block(const DepthwiseRow& row, const Source<T>& from, const Target<T>& to) {
  int64_t c = 0;
  for (; c + kLanes <= row.channels; c += kLanes)
    block_register<kKernel, kStride, kPixels, kInside, true>(row, from.at_channel(c), kLanes, to.at_channel(c));
  if (c < row.channels)
    block_register<kKernel, kStride, kPixels, kInside, false>(row, from.at_channel(c),
                                                              static_cast<int>(row.channels - c), to.at_channel(c));
}

// `count` pixels from pixel x on. `from` is column 0.
template <int kKernel, int kStride, typename T>
void fixed_pixels(const DepthwiseRow& row, const Source<T>& from, int64_t x, int count, Target<T> to) {
  for (int done = 0, step = 0; done < count; done += step) {
    const int left = count - done;
    const int64_t column = (x + done) * kStride - row.pad_left;
    const Source<T> first{from.in + column * row.in_w, from.w, from.bias, column};
    const Target<T> target = to.at_pixel(done);
    step = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
    const bool inside = column >= 0 && column + 7 * kStride + kKernel <= row.width;
    if (step == 8 && inside)
      block<kKernel, kStride, 8, true>(row, first, target);
    else if (step == 8)
      block<kKernel, kStride, 8, false>(row, first, target);
    else if (step == 4)
      block<kKernel, kStride, 4, false>(row, first, target);
    else if (step == 2)
      block<kKernel, kStride, 2, false>(row, first, target);
    else
      block<kKernel, kStride, 1, false>(row, first, target);
  }
}

// One pixel with any window.
template <bool kWhole, typename T>
MEML_INLINE void any_register(const DepthwiseRow& row, Source<T> from, int channels, const Target<T>& to) {
  Vec acc = start<kWhole>(from, channels);
  for (int64_t ky = row.ky_begin; ky < row.ky_end; ++ky) {
    for (int64_t kx = 0; kx < row.kernel_w; ++kx) {
      const int64_t offset = kx * row.dilation_w, column = from.column + offset;
      if (column < 0 || column >= row.width) continue;
      acc = fma(load_channels<kWhole>(from.in + offset * row.in_w, channels), load(from.w + kx * row.padded_channels),
                acc);
    }
    from.in += row.dilation_h * row.in_h;
    from.w += row.kernel_w * row.padded_channels;
  }
  put<kWhole>(row, acc, channels, to);
}

template <typename T>
void any_pixels(const DepthwiseRow& row, const Source<T>& from, int64_t x, int count, Target<T> to) {
  for (int p = 0; p < count; ++p) {
    const int64_t column = (x + p) * row.stride_w - row.pad_left;
    const Source<T> first{from.in + column * row.in_w, from.w, from.bias, column};
    const Target<T> target = to.at_pixel(p);
    int64_t c = 0;
    for (; c + kLanes <= row.channels; c += kLanes)
      any_register<true>(row, first.at_channel(c), kLanes, target.at_channel(c));
    if (c < row.channels)
      any_register<false>(row, first.at_channel(c), static_cast<int>(row.channels - c), target.at_channel(c));
  }
}

// At stride 1 and dilation d, pixels d apart see columns d apart: d rows without dilation, one after the other.
template <int kKernel, typename T>
void dilated_pixels(const DepthwiseRow& row, const Source<T>& from, int64_t x, int count, Target<T> to) {
  const int64_t d = row.dilation_w;
  DepthwiseRow every = row;
  every.in_w = row.in_w * d;
  for (int r = 0; r < count && r < d; ++r) {
    const int64_t column = x + r - row.pad_left;
    const int64_t first = ((column % d) + d) % d;  // column = first + d * index
    every.pad_left = (first - column) / d;
    every.width = (row.width - first + d - 1) / d;
    const Target<T> target = to.at_pixel(r);
    fixed_pixels<kKernel, 1>(every, Source<T>{from.in + first * row.in_w, from.w, from.bias, 0}, 0,
                             static_cast<int>((count - r + d - 1) / d),
                             Target<T>{target.tile, target.tile_w * d, target.out, target.out_w * d});
  }
}

template <typename T>
void pixels(const DepthwiseRow& row, const Source<T>& from, int64_t x, int count, const Target<T>& to) {
  if (row.dilation_w == 1) {
    if (row.kernel_w == 3 && row.stride_w == 1) return fixed_pixels<3, 1>(row, from, x, count, to);
    if (row.kernel_w == 3 && row.stride_w == 2) return fixed_pixels<3, 2>(row, from, x, count, to);
    if (row.kernel_w == 5 && row.stride_w == 1) return fixed_pixels<5, 1>(row, from, x, count, to);
    if (row.kernel_w == 5 && row.stride_w == 2) return fixed_pixels<5, 2>(row, from, x, count, to);
    if (row.kernel_w == 7 && row.stride_w == 1) return fixed_pixels<7, 1>(row, from, x, count, to);
  } else if (row.stride_w == 1 && row.kernel_w == 3) {
    return dilated_pixels<3>(row, from, x, count, to);
  } else if (row.stride_w == 1 && row.kernel_w == 5) {
    return dilated_pixels<5>(row, from, x, count, to);
  }
  any_pixels(row, from, x, count, to);
}

template <typename T>
void store_tile(const DepthwiseRow& row, int64_t begin, int count, const float* tile, int64_t tile_w) {
  for (int p = 0; p < count; ++p) {
    T* const out = static_cast<T*>(row.out) + (begin + p) * row.out_w + row.first_channel;
    const float* const values = tile + p * tile_w;
    int64_t c = 0;
    for (; c + kLanes <= row.channels; c += kLanes) store(out + c, load(values + c));
    if (c < row.channels) store_first(out + c, load(values + c), static_cast<int>(row.channels - c));
  }
}

template <typename T>
void run_row(const DepthwiseRow& row) {
  alignas(64) float tile[kTilePixels * kDepthwiseChannels];
  int64_t offsets[kMaxEpilogueSteps][kTilePixels];
  const int64_t* step_offsets[kMaxEpilogueSteps];
  for (int s = 0; s < row.step_count; ++s) step_offsets[s] = offsets[s];
  const int64_t tile_w = (row.channels + kLanes - 1) / kLanes * kLanes;
  const int64_t first_row = row.first_y + row.ky_begin * row.dilation_h;
  const Source<T> from{static_cast<const T*>(row.in) + first_row * row.in_h + row.first_channel,
                       row.weights + row.ky_begin * row.kernel_w * row.padded_channels + row.first_channel,
                       row.bias ? row.bias + row.first_channel : nullptr, 0};
  T* const out = static_cast<T*>(row.out) + row.first_channel;
  for (int64_t x = 0; x < row.out_width; x += kTilePixels) {
    const int64_t end = x + kTilePixels < row.out_width ? x + kTilePixels : row.out_width;
    const int count = static_cast<int>(end - x);
    pixels(row, from, x, count, Target<T>{tile, tile_w, out + x * row.out_w, row.out_w});
    if (row.direct) continue;
    for (int s = 0; s < row.step_count; ++s)
      for (int p = 0; p < count; ++p) offsets[s][p] = row.step_base[s] + (x + p) * row.step_strides[s];
    apply_epilogue({.values = tile,
                    .rows = count,
                    .width = static_cast<int>(tile_w),
                    .first_channel = row.first_channel,
                    .channels = static_cast<int>(row.channels),
                    .steps = row.steps,
                    .step_count = row.step_count,
                    .row_offsets = step_offsets});
    store_tile<T>(row, x, count, tile, tile_w);
  }
}

}  // namespace
}  // namespace memline::cpu::MEML_LEVEL

// Depthwise convolution, channels-last, f32 arithmetic, T = float or bf16. Included once by each level's file.
//   * A block is up to 8 neighbouring pixels of a row by one register of channels. For 3 and 5 columns at stride 1 or 2
//   each input
//     register is loaded once a block and tap row and used by every pixel whose window holds it; any other window loads
//     it a tap.
//   * Sum: tap rows, then taps from left to right, from 0 on, in every path; taps outside the input are left out. So an
//   element
//     depends on its own window only.
//   * Results of up to 16 pixels x 128 channels lie in an 8 KiB tile for the epilogues; channel tails are masked.
#include "cpu/depthwise/depthwise_kernel.h"
#include "cpu/simd/epilogue.h"
#include "cpu/simd/vec.h"

namespace memline::cpu::MEML_LEVEL {
namespace {

constexpr int kBlockPixels = 8;
constexpr int kTilePixels = 16;

// A register of channels: kWhole, or the first `channels` of one.
template <bool kWhole, typename T>
MEML_INLINE Vec load_channels(const T* p, int channels) {
  if constexpr (kWhole)
    return load(p);
  else
    return load_first(p, channels);
}

// kPixels pixels of windows that lie inside the row. `in` is the first window's first column of tap row ky_begin; `w`
// its weights.
template <bool kWhole, int kKernel, int kStride, int kPixels, typename T>
MEML_INLINE void inner_block(const DepthwiseRow& row, const T* in, const float* w, int channels, float* out,
                             int64_t out_w) {
  constexpr int kColumns = (kPixels - 1) * kStride + kKernel;
  Vec acc[kPixels];
#pragma GCC unroll 8
  for (int p = 0; p < kPixels; ++p) acc[p] = zero();
  for (int64_t ky = row.ky_begin; ky < row.ky_end; ++ky) {
    Vec weights[kKernel];
#pragma GCC unroll 5
    for (int kx = 0; kx < kKernel; ++kx) weights[kx] = load(w + kx * row.padded_channels);
#pragma GCC unroll 20
    for (int x = 0; x < kColumns; ++x) {
      const Vec v = load_channels<kWhole>(in + x * row.in_w, channels);
#pragma GCC unroll 5
      for (int kx = 0; kx < kKernel; ++kx)
        if (x >= kx && (x - kx) % kStride == 0 && (x - kx) / kStride < kPixels)
          acc[(x - kx) / kStride] = fma(v, weights[kx], acc[(x - kx) / kStride]);
    }
    in += row.dilation_h * row.in_h;
    w += kKernel * row.padded_channels;
  }
#pragma GCC unroll 8
  for (int p = 0; p < kPixels; ++p) store(out + p * out_w, acc[p]);
}

// One pixel with any window: taps outside the row are left out.
template <bool kWhole, typename T>
MEML_INLINE void any_pixel(const DepthwiseRow& row, const T* in, int64_t x, const float* w, int channels, float* out) {
  const int64_t first = x * row.stride_w - row.pad_left;
  Vec acc = zero();
  for (int64_t ky = row.ky_begin; ky < row.ky_end; ++ky) {
    for (int64_t kx = 0; kx < row.kernel_w; ++kx) {
      const int64_t column = first + kx * row.dilation_w;
      if (column < 0 || column >= row.width) continue;
      acc = fma(load_channels<kWhole>(in + column * row.in_w, channels), load(w + kx * row.padded_channels), acc);
    }
    in += row.dilation_h * row.in_h;
    w += row.kernel_w * row.padded_channels;
  }
  store(out, acc);
}

// Pixels [begin, end) of one register of channels into `tile` [pixel][tile_w]. `in` is column 0 of tap row ky_begin.
template <bool kWhole, int kKernel, int kStride, typename T>
void fixed_pixels(const DepthwiseRow& row, const T* in, const float* w, int channels, int64_t begin, int64_t end,
                  float* tile, int64_t tile_w) {
  // Windows of pixels [inner_begin, inner_end) lie inside the row.
  const int64_t inner_begin = (row.pad_left + kStride - 1) / kStride;
  const int64_t last_start = row.width - kKernel + row.pad_left;
  const int64_t inner_end = last_start < 0 ? 0 : last_start / kStride + 1;
  int64_t x = begin;
  while (x < end) {
    float* const out = tile + (x - begin) * tile_w;
    const int64_t left = x < inner_begin ? 0 : (inner_end < end ? inner_end : end) - x;
    const T* const first = in + (x * kStride - row.pad_left) * row.in_w;
    if (left >= kBlockPixels) {
      inner_block<kWhole, kKernel, kStride, kBlockPixels>(row, first, w, channels, out, tile_w);
      x += kBlockPixels;
    } else if (left >= 4) {
      inner_block<kWhole, kKernel, kStride, 4>(row, first, w, channels, out, tile_w);
      x += 4;
    } else if (left >= 1) {
      inner_block<kWhole, kKernel, kStride, 1>(row, first, w, channels, out, tile_w);
      x += 1;
    } else {
      any_pixel<kWhole>(row, in, x, w, channels, out);
      x += 1;
    }
  }
}

template <bool kWhole, typename T>
void pixels(const DepthwiseRow& row, const T* in, const float* w, int channels, int64_t begin, int64_t end, float* tile,
            int64_t tile_w) {
  if (row.dilation_w == 1) {
    if (row.kernel_w == 3 && row.stride_w == 1)
      return fixed_pixels<kWhole, 3, 1>(row, in, w, channels, begin, end, tile, tile_w);
    if (row.kernel_w == 3 && row.stride_w == 2)
      return fixed_pixels<kWhole, 3, 2>(row, in, w, channels, begin, end, tile, tile_w);
    if (row.kernel_w == 5 && row.stride_w == 1)
      return fixed_pixels<kWhole, 5, 1>(row, in, w, channels, begin, end, tile, tile_w);
    if (row.kernel_w == 5 && row.stride_w == 2)
      return fixed_pixels<kWhole, 5, 2>(row, in, w, channels, begin, end, tile, tile_w);
  }
  for (int64_t x = begin; x < end; ++x) any_pixel<kWhole>(row, in, x, w, channels, tile + (x - begin) * tile_w);
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
  const T* const in =
      static_cast<const T*>(row.in) + (row.first_y + row.ky_begin * row.dilation_h) * row.in_h + row.first_channel;
  const float* const w = row.weights + row.ky_begin * row.kernel_w * row.padded_channels + row.first_channel;
  for (int64_t x = 0; x < row.out_width; x += kTilePixels) {
    const int64_t end = x + kTilePixels < row.out_width ? x + kTilePixels : row.out_width;
    const int count = static_cast<int>(end - x);
    int64_t c = 0;
    for (; c + kLanes <= row.channels; c += kLanes) pixels<true>(row, in + c, w + c, kLanes, x, end, tile + c, tile_w);
    if (c < row.channels)
      pixels<false>(row, in + c, w + c, static_cast<int>(row.channels - c), x, end, tile + c, tile_w);
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

// Winograd F(4x4, 3x3) and F(2x2, 3x3), f32 arithmetic, activations f32 or bf16, channels-last; included once by each
// level's file.
//   * A run of n tiles is done at once: V = transformed input [plane][tile][ic], then for each chunk of 64 output
//     channels M = V x u [plane][tile][64] and the output transform with the epilogues. V, M and one plane of u fit
//     L2; the caller picks n.
//   * Matrix product: kTileUnit tiles x 2 registers of output channels in accumulators, input channels in order, so
//     no element depends on which tiles lie beside it.
//   * Pixels outside the input read as zero; output pixels outside the image or the row range are not stored; channel
//     tails are masked.
//   * Transforms: Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (2015), points 0, +-1, +-2.
#include "cpu/simd/epilogue.h"
#include "cpu/simd/vec.h"
#include "cpu/winograd/winograd_kernel.h"

namespace memline::cpu::MEML_LEVEL {
namespace {

struct F43 {
  static constexpr int kOut = 4, kIn = 6;
  MEML_INLINE void input(Vec (&o)[6], const Vec (&d)[6]) {
    const Vec four = set1(4), five = set1(5);
    o[0] = fnma(five, d[2], fma(four, d[0], d[4]));
    const Vec p = fnma(four, d[2], d[4]), q = fnma(four, d[1], d[3]);
    o[1] = add(p, q);
    o[2] = sub(p, q);
    const Vec r = sub(d[4], d[2]), s = mul(set1(2), sub(d[3], d[1]));
    o[3] = add(r, s);
    o[4] = sub(r, s);
    o[5] = fnma(five, d[3], fma(four, d[1], d[5]));
  }
  MEML_INLINE void output(Vec (&o)[4], const Vec (&m)[6]) {
    const Vec s = add(m[1], m[2]), u = sub(m[1], m[2]), w = add(m[3], m[4]), x = sub(m[3], m[4]);
    o[0] = add(add(m[0], s), w);
    o[1] = fma(set1(2), x, u);
    o[2] = fma(set1(4), w, s);
    o[3] = add(fma(set1(8), x, u), m[5]);
  }
  MEML_INLINE void weights(Vec (&o)[6], const Vec (&g)[3]) {
    const Vec sixth = set1(-1 / 6.0f);
    const Vec s = mul(sixth, add(g[0], g[2])), u = mul(sixth, g[1]);
    const Vec p = fma(set1(1 / 24.0f), g[0], mul(set1(1 / 6.0f), g[2])), q = mul(set1(1 / 12.0f), g[1]);
    o[0] = mul(set1(0.25f), g[0]);
    o[1] = add(s, u);
    o[2] = sub(s, u);
    o[3] = add(p, q);
    o[4] = sub(p, q);
    o[5] = g[2];
  }
};

struct F23 {
  static constexpr int kOut = 2, kIn = 4;
  MEML_INLINE void input(Vec (&o)[4], const Vec (&d)[4]) {
    o[0] = sub(d[0], d[2]);
    o[1] = add(d[1], d[2]);
    o[2] = sub(d[2], d[1]);
    o[3] = sub(d[1], d[3]);
  }
  MEML_INLINE void output(Vec (&o)[2], const Vec (&m)[4]) {
    o[0] = add(add(m[0], m[1]), m[2]);
    o[1] = sub(sub(m[1], m[2]), m[3]);
  }
  MEML_INLINE void weights(Vec (&o)[4], const Vec (&g)[3]) {
    const Vec half = set1(0.5f);
    const Vec s = mul(half, add(g[0], g[2])), u = mul(half, g[1]);
    o[0] = g[0];
    o[1] = add(s, u);
    o[2] = sub(s, u);
    o[3] = g[2];
  }
};

constexpr int kBlock = 2 * kLanes;
constexpr int kTileUnit = kLanes == 16 ? 12 : 6;

template <typename F>
constexpr int planes() {
  return F::kIn * F::kIn;
}

template <typename F>
void transform_weights(const WinogradWeights& w, int64_t ic_begin, int64_t ic_end) {
  constexpr int kIn = F::kIn;
  for (int64_t c = 0; c < w.channels; c += kLanes) {
    const int64_t block = c / kBlock * kBlock;
    const int64_t width = w.channels - block < kBlock ? kLanes : kBlock;
    float* const u = w.u + planes<F>() * w.ic * block + (c - block);
    for (int64_t ic = ic_begin; ic < ic_end; ++ic) {
      Vec columns[3][kIn];
      for (int x = 0; x < 3; ++x) {
        Vec g[3];
        for (int y = 0; y < 3; ++y) g[y] = load(w.raw + ((y * 3 + x) * w.ic + ic) * w.padded_oc + w.first_channel + c);
        F::weights(columns[x], g);
      }
      for (int y = 0; y < kIn; ++y) {
        const Vec g[3] = {columns[0][y], columns[1][y], columns[2][y]};
        Vec o[kIn];
        F::weights(o, g);
        for (int x = 0; x < kIn; ++x) store(u + ((y * kIn + x) * w.ic + ic) * width, o[x]);
      }
    }
  }
}

struct TileAt {
  int64_t n, y, x;  // picture, output row and column of the tile's first pixel
};
template <typename F>
TileAt tile_at(const WinogradTiles& t, int64_t tile) {
  const int64_t row = tile / t.tile_columns;
  return {t.first_picture + row / t.tile_rows, (t.first_tile_row + row % t.tile_rows) * F::kOut,
          tile % t.tile_columns * F::kOut};
}

// First half of the input transform, along one row of the tile: `row`[x][v_row] from kIn pixels; `pixel(x)` is null
// outside.
template <typename F, typename T, typename Pixel>
MEML_INLINE void transform_row(int64_t ic, float* row, int64_t v_row, Pixel&& pixel) {
  constexpr int kIn = F::kIn;
  for (int64_t c = 0; c < ic; c += kLanes) {
    Vec d[kIn], o[kIn];
#pragma GCC unroll 6
    for (int x = 0; x < kIn; ++x) d[x] = pixel(x, c);
    F::input(o, d);
#pragma GCC unroll 6
    for (int x = 0; x < kIn; ++x) store(row + x * v_row + c, o[x]);
  }
}

// V of one tile: `v` is the tile's row in plane 0, `rows` has [kIn][kIn][v_row]. Rows first, one after the other: rows
// of a picture often lie a multiple of 4 KiB apart, and reading six such addresses together costs four times as much.
template <typename F, typename T>
void transform_input(const WinogradTiles& t, TileAt at, float* rows, float* v, int64_t v_row, int64_t plane) {
  constexpr int kIn = F::kIn;
  const int64_t y0 = at.y - t.pad_top, x0 = at.x - t.pad_left;
  const int64_t whole = x0 >= 0 && x0 + kIn <= t.w ? t.ic / kLanes * kLanes : 0;
  for (int y = 0; y < kIn; ++y) {
    float* const row = rows + y * kIn * v_row;
    const bool row_inside = y0 + y >= 0 && y0 + y < t.h;
    const T* const in = static_cast<const T*>(t.in) + at.n * t.in_n + (y0 + y) * t.in_h + x0 * t.in_w;
    if (row_inside)
      transform_row<F, T>(whole, row, v_row, [&](int x, int64_t c) {
        const T* const p = in + x * t.in_w + c;
        if (x >= kIn - F::kOut)
          __builtin_prefetch(p + F::kOut * t.in_w);  // the next tile's: its rows are no stream that hardware sees
        return load(p);
      });
    const int64_t done = row_inside ? whole : 0;
    transform_row<F, T>(t.ic - done, row + done, v_row, [&](int x, int64_t c) {
      const int64_t left = t.ic - done - c;
      if (!row_inside || x0 + x < 0 || x0 + x >= t.w) return zero();
      return load_first(in + x * t.in_w + done + c, left < kLanes ? static_cast<int>(left) : kLanes);
    });
  }
  for (int x = 0; x < kIn; ++x)
    for (int64_t c = 0; c < v_row; c += kLanes) {
      Vec d[kIn], o[kIn];
#pragma GCC unroll 6
      for (int y = 0; y < kIn; ++y) d[y] = load(rows + (y * kIn + x) * v_row + c);
      F::input(o, d);
#pragma GCC unroll 6
      for (int y = 0; y < kIn; ++y) store(v + (y * kIn + x) * plane + c, o[y]);
    }
}

// M[0..kTiles)[0..kRegisters * kLanes) = V x u.
template <int kTiles, int kRegisters>
void product(const float* v, int64_t v_row, int64_t ic, const float* u, float* m, int64_t m_row) {
  Vec acc[kTiles][kRegisters];
#pragma GCC unroll 16
  for (int t = 0; t < kTiles; ++t)
#pragma GCC unroll 2
    for (int r = 0; r < kRegisters; ++r) acc[t][r] = zero();
  for (int64_t k = 0; k < ic; ++k, u += kRegisters * kLanes, ++v) {
    Vec w[kRegisters];
#pragma GCC unroll 2
    for (int r = 0; r < kRegisters; ++r) w[r] = load(u + r * kLanes);
#pragma GCC unroll 16
    for (int t = 0; t < kTiles; ++t) {
      const Vec x = set1(v[t * v_row]);
#pragma GCC unroll 2
      for (int r = 0; r < kRegisters; ++r) acc[t][r] = fma(x, w[r], acc[t][r]);
    }
  }
#pragma GCC unroll 16
  for (int t = 0; t < kTiles; ++t)
#pragma GCC unroll 2
    for (int r = 0; r < kRegisters; ++r) store(m + t * m_row + r * kLanes, acc[t][r]);
}

template <int kRegisters, int kTiles = kTileUnit>
void product_of(int64_t tiles, const float* v, int64_t v_row, int64_t ic, const float* u, float* m, int64_t m_row) {
  if constexpr (kTiles > 0) {
    if (tiles == kTiles) return product<kTiles, kRegisters>(v, v_row, ic, u, m, m_row);
    product_of<kRegisters, kTiles - 1>(tiles, v, v_row, ic, u, m, m_row);
  }
}

// One plane: `tiles` rows of V times every block of a chunk; the rows in groups of nearly equal size, kTileUnit at
// most.
template <typename F>
void plane_product(int plane, int64_t tiles, const float* v, int64_t v_row, int64_t ic, const float* u,
                   int64_t channels, float* m, int64_t m_row) {
  const int64_t groups = (tiles + kTileUnit - 1) / kTileUnit;
  for (int64_t c = 0; c < channels; c += kBlock, u += planes<F>() * ic * kBlock)
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t first = tiles * g / groups, count = tiles * (g + 1) / groups - first;
      if (channels - c >= kBlock)
        product_of<2>(count, v + first * v_row, v_row, ic, u + plane * ic * kBlock, m + first * m_row + c, m_row);
      else
        product_of<1>(count, v + first * v_row, v_row, ic, u + plane * ic * kLanes, m + first * m_row + c, m_row);
    }
}

// The pixels of one output tile that are stored.
template <typename F>
struct OutputTile {
  int y_begin = 0, y_end = 0, x_end = 0;
  int count = 0;
  int64_t out[F::kOut * F::kOut];
  int64_t operand[kMaxEpilogueSteps][F::kOut * F::kOut];
  const int64_t* operands[kMaxEpilogueSteps];

  OutputTile(const WinogradTiles& t, TileAt at) {
    const int64_t last_row = t.row_end - at.y, last_column = t.ow - at.x;
    y_begin = at.y < t.row_begin ? static_cast<int>(t.row_begin - at.y) : 0;
    y_end = last_row < F::kOut ? static_cast<int>(last_row) : F::kOut;
    x_end = last_column < F::kOut ? static_cast<int>(last_column) : F::kOut;
    for (int y = y_begin; y < y_end; ++y)
      for (int x = 0; x < x_end; ++x, ++count) {
        out[count] = at.n * t.out_n + (at.y + y) * t.out_h + (at.x + x) * t.out_w;
        for (int s = 0; s < t.step_count; ++s) {
          const int64_t* stride = t.step_strides + 3 * s;
          operand[s][count] = at.n * stride[0] + (at.y + y) * stride[1] + (at.x + x) * stride[2];
        }
      }
    for (int s = 0; s < t.step_count; ++s) operands[s] = operand[s];
  }
};

// The linear part of the output transform for one register of channels: pixels that are stored, `width` floats apart.
template <typename F>
MEML_INLINE void transform_register(const OutputTile<F>& tile, const float* m, int64_t plane, float* value,
                                    int64_t width) {
  constexpr int kIn = F::kIn, kOut = F::kOut;
  Vec rows[kOut][kIn];
#pragma GCC unroll 6
  for (int x = 0; x < kIn; ++x) {
    Vec d[kIn], o[kOut];
#pragma GCC unroll 6
    for (int y = 0; y < kIn; ++y) d[y] = load(m + (y * kIn + x) * plane);
    F::output(o, d);
#pragma GCC unroll 4
    for (int y = 0; y < kOut; ++y) rows[y][x] = o[y];
  }
  if (tile.count == kOut * kOut) {
#pragma GCC unroll 4
    for (int y = 0; y < kOut; ++y) {
      Vec o[kOut];
      F::output(o, rows[y]);
#pragma GCC unroll 4
      for (int x = 0; x < kOut; ++x) store(value + (y * kOut + x) * width, o[x]);
    }
    return;
  }
  for (int y = tile.y_begin; y < tile.y_end; ++y) {
    Vec o[kOut];
    F::output(o, rows[y]);
    for (int x = 0; x < tile.x_end; ++x, value += width) store(value, o[x]);
  }
}

// The output transform of one tile and chunk, epilogues, store. `m` is the tile's row in plane 0.
template <typename F, typename T>
void transform_output(const WinogradTiles& t, TileAt at, int64_t first_channel, int64_t channels, int64_t padded,
                      const float* m, int64_t plane) {
  const OutputTile<F> tile(t, at);
  alignas(64) float values[F::kOut * F::kOut * kWinogradChunk];
  for (int p = 0; p < tile.count; ++p)  // so that the lines are there when the tile is stored
    for (int64_t c = 0; c < channels; c += 64 / static_cast<int64_t>(sizeof(T)))
      __builtin_prefetch(static_cast<T*>(t.out) + tile.out[p] + first_channel + c, 1);
  for (int64_t c = 0; c < padded; c += kLanes) transform_register<F>(tile, m + c, plane, values + c, padded);
  apply_epilogue({.values = values,
                  .rows = tile.count,
                  .width = static_cast<int>(padded),
                  .first_channel = first_channel,
                  .channels = static_cast<int>(channels),
                  .steps = t.steps,
                  .step_count = t.step_count,
                  .row_offsets = tile.operands});
  for (int p = 0; p < tile.count; ++p) {
    T* const out = static_cast<T*>(t.out) + tile.out[p] + first_channel;
    const float* const value = values + p * padded;
    int64_t c = 0;
    for (; c + kLanes <= channels; c += kLanes) store(out + c, load(value + c));
    if (c < channels) store_first(out + c, load(value + c), static_cast<int>(channels - c));
  }
}

template <typename F, typename T>
void run_tiles(const WinogradTiles& t, int64_t begin, int64_t end, float* scratch) {
  const int64_t count = end - begin;
  const int64_t v_row = (t.ic + kLanes - 1) / kLanes * kLanes, v_plane = winograd_plane_floats(count, v_row);
  float* const v = scratch;
  float* const m = scratch + planes<F>() * v_plane;
  for (int64_t i = 0; i < count; ++i)
    transform_input<F, T>(t, tile_at<F>(t, begin + i), m, v + i * v_row, v_row, v_plane);
  for (int64_t c = 0; c < t.channels; c += kWinogradChunk) {
    const int64_t channels = t.channels - c < kWinogradChunk ? t.channels - c : kWinogradChunk;
    const int64_t padded = (channels + kLanes - 1) / kLanes * kLanes, m_plane = winograd_plane_floats(count, padded);
    const float* u = t.u + planes<F>() * t.ic * c;
    for (int p = 0; p < planes<F>(); ++p)
      plane_product<F>(p, count, v + p * v_plane, v_row, t.ic, u, padded, m + p * m_plane, padded);
    for (int64_t i = 0; i < count; ++i)
      transform_output<F, T>(t, tile_at<F>(t, begin + i), t.first_channel + c, channels, padded, m + i * padded,
                             m_plane);
  }
}

template <typename F>
WinogradKernels kernels() {
  return {.lanes = kLanes,
          .tile = F::kOut,
          .planes = planes<F>(),
          .tile_unit = kTileUnit,
          .weights = transform_weights<F>,
          .tiles_f32 = run_tiles<F, float>,
          .tiles_bf16 = run_tiles<F, uint16_t>};
}

}  // namespace
}  // namespace memline::cpu::MEML_LEVEL

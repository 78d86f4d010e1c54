// Strips on AMX: sums of 16 pixels by 16 channels lie in tile registers, and one instruction adds the products of up to
// 32 input channels to them.
//   * Tiles 0-3 are sums: 2x2 for blocks of 32 channels, 4x1 for blocks of 16. Tiles 4 and 5 are inputs (16 pixels by a
//     part of a tap's channels, tile_depth), 6 and 7 weights (that part by 16 channels).
//   * Pixels of one pitch are read where they lie. Others (an edge, the end of a row), and a part that reaches beyond
//     the tap's channels, are copied into 16 rows first, with zeros behind the channels: nothing outside a view is
//     read.
//   * The last tile of a strip is shifted back over pixels already done; only what is new is stored.
//   * Sum: bias, then taps and parts in order; within a part as the instruction adds. Every pixel is a row of its own,
//     so its place in a tile or strip changes nothing.
//   * Measured (Xeon with AMX at 3.7 GHz, one thread, 2026-12-01, bench_conv --bf16 --plain): 1.62 TFLOP/s on 256->256
//     3x3 at 14x14, 0.43 of the peak of 3.75, and 1.1 over all of ResNet-50. The peak holds with every tile loaded from
//     L1; with inputs from L2 a 2x2 step takes 90 cycles instead of 64, with rows off a line's start 130. Storing four
//     tiles costs 200 cycles in which nothing is added; finishing the last tiles between the steps of the next did not
//     help. The same core does 0.24 in f32 and 0.12 by AVX512-BF16.
#include "cpu/gemm/strip.inl.h"

namespace memline::cpu::MEML_LEVEL {

constexpr int kRows = 16;     // of a tile
constexpr int kPart = 32;     // most channels of a part
constexpr int kAhead = 8192;  // bytes of weights: a strip's first tiles bring them from L3 or memory
constexpr int kLine = 64;     // bytes of a whole tile row

struct alignas(64) TileConfig {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};

static void configure_tiles(int64_t depth) {
  const int64_t part = tile_depth(depth);
  TileConfig config = {};
  config.palette = 1;
  for (int tile = 0; tile < 8; ++tile) {
    config.row_bytes[tile] = static_cast<uint16_t>(tile == 4 || tile == 5 ? 2 * part : kLine);
    config.rows[tile] = static_cast<uint8_t>(tile >= 6 ? part / 2 : kRows);
  }
  __asm__ volatile("" ::: "memory");
  _tile_loadconfig(&config);
}
static void release_tiles() { _tile_release(); }

// A macro because the register is part of the instruction. The compiler does not know that it reads memory.
#define MEML_LOAD_TILE(tile, pointer, stride) \
  do {                                        \
    __asm__ volatile("" ::: "memory");        \
    _tile_loadd(tile, pointer, stride);       \
  } while (false)

// Whether sixteen pixels under a tap lie at one pitch.
MEML_INLINE bool are_even(const void* const* pixels, int64_t bytes) {
  const __m512i pitch = _mm512_set1_epi64(bytes);
  const __m512i low = _mm512_sub_epi64(_mm512_loadu_si512(pixels + 1), _mm512_loadu_si512(pixels));
  const __m512i high = _mm512_sub_epi64(_mm512_loadu_si512(pixels + 8), _mm512_loadu_si512(pixels + 7));
  return (_mm512_cmpeq_epi64_mask(low, pitch) & _mm512_cmpeq_epi64_mask(high, pitch)) == 0xff;
}

// A part of a tap: which channels, and where the inputs of P tiles are loaded from.
template <int P>
struct Part {
  alignas(64) uint16_t copies[P][kRows * kPart];
  const void* from[P];
  int64_t pitch[P];
};

// What a walk over the parts of all taps has come to.
template <int P>
struct Walk {
  const void* const* row;  // pointers of the tap
  int64_t k = 0;
  int64_t pitch[P];  // of its pixels; kUneven
};
constexpr int64_t kUneven = INT64_MIN;

// Makes the walk's part ready and steps on. A tile load waits for stores that it reads until they are in L1, so copies
// are made one part ahead of the loads.
template <int P>
MEML_INLINE void prepare(const StripArgs& args, int64_t size, const int64_t (&at)[P], int count, Walk<P>& walk,
                         Part<P>& part) {
  const int64_t left = args.depth - walk.k, channels = left < size ? left : size;
  const auto mask = static_cast<__mmask32>((uint64_t{1} << channels) - 1);
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) {
    const void* const* pixels = walk.row + at[p];
    if (walk.k == 0) {
      const int64_t pitch =
          count < kRows ? kUneven : static_cast<const char*>(pixels[1]) - static_cast<const char*>(pixels[0]);
      walk.pitch[p] = count == kRows && are_even(pixels, pitch) ? pitch : kUneven;
    }
    if (walk.pitch[p] != kUneven && channels == size) {
      part.from[p] = static_cast<const uint16_t*>(pixels[0]) + walk.k;
      part.pitch[p] = walk.pitch[p];
      continue;
    }
    for (int r = 0; r < count; ++r)
      _mm512_store_si512(part.copies[p] + r * kPart,
                         _mm512_maskz_loadu_epi16(mask, static_cast<const uint16_t*>(pixels[r]) + walk.k));
    part.from[p] = part.copies[p];
    part.pitch[p] = kLine;
  }
  walk.k += size;
  if (walk.k < args.depth) return;
  walk.k = 0;
  walk.row += args.input_stride;
}

template <int P, int B>
MEML_INLINE void begin_sums(const float* bias) {  // every row of a tile is the bias: a pitch of 0
  MEML_LOAD_TILE(0, bias, 0);
  if constexpr (B == 2) {
    MEML_LOAD_TILE(1, bias + kLanes, 0);
    if constexpr (P == 2) {
      MEML_LOAD_TILE(2, bias, 0);
      MEML_LOAD_TILE(3, bias + kLanes, 0);
    }
  } else if constexpr (P == 4) {
    MEML_LOAD_TILE(1, bias, 0);
    MEML_LOAD_TILE(2, bias, 0);
    MEML_LOAD_TILE(3, bias, 0);
  }
}

template <int P, int B>
MEML_INLINE void add_products(const Part<P>& part, const void* weights) {
  MEML_LOAD_TILE(6, weights, B * kLine);
  MEML_LOAD_TILE(4, part.from[0], part.pitch[0]);
  _tile_dpbf16ps(0, 4, 6);
  if constexpr (B == 2) {
    MEML_LOAD_TILE(7, static_cast<const char*>(weights) + kLine, 2 * kLine);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (P == 2) {
      MEML_LOAD_TILE(5, part.from[1], part.pitch[1]);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  } else if constexpr (P == 4) {
    MEML_LOAD_TILE(5, part.from[1], part.pitch[1]);
    _tile_dpbf16ps(1, 5, 6);
    MEML_LOAD_TILE(4, part.from[2], part.pitch[2]);
    _tile_dpbf16ps(2, 4, 6);
    MEML_LOAD_TILE(5, part.from[3], part.pitch[3]);
    _tile_dpbf16ps(3, 5, 6);
  }
}

template <int P, int B>
MEML_INLINE void store_sums(float* values) {
  constexpr int kTile = kRows * B * kLanes;
  _tile_stored(0, values, B * kLine);
  if constexpr (B == 2) {
    _tile_stored(1, values + kLanes, B * kLine);
    if constexpr (P == 2) {
      _tile_stored(2, values + kTile, B * kLine);
      _tile_stored(3, values + kTile + kLanes, B * kLine);
    }
  } else if constexpr (P == 4) {
    _tile_stored(1, values + kTile, B * kLine);
    _tile_stored(2, values + 2 * kTile, B * kLine);
    _tile_stored(3, values + 3 * kTile, B * kLine);
  }
  __asm__ volatile("" ::: "memory");
}

// Stores f(values) of `rows` pixels, all channels of one in one store.
template <int B, typename F>
MEML_INLINE void store_pixels(const StripArgs& args, int64_t pixel, const float* values, int rows, F&& f) {
  const auto channels = static_cast<__mmask32>((uint64_t{1} << args.channels) - 1);
  if (args.f32_outputs) {
    for (int r = 0; r < rows; ++r, values += B * kLanes) {
      float* out = static_cast<float*>(args.outputs[pixel + r]) + args.first_channel;
      for (int b = 0; b < B; ++b)
        _mm512_mask_storeu_ps(out + b * kLanes, static_cast<__mmask16>(channels >> (b * kLanes)),
                              f(load(values + b * kLanes), r, b));
    }
    return;
  }
  for (int r = 0; r < rows; ++r, values += B * kLanes) {
    uint16_t* out = static_cast<uint16_t*>(args.outputs[pixel + r]) + args.first_channel;
    if constexpr (B == 2) {
      const Vec low = f(load(values), r, 0), high = f(load(values + kLanes), r, 1);
      _mm512_mask_storeu_epi16(out, channels, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low)));
    } else {
      _mm256_mask_storeu_epi16(out, static_cast<__mmask16>(channels), to_bf16(f(load(values), r, 0)));
    }
  }
}

// An addition and limits, in registers.
template <int B>
MEML_INLINE void finish_direct(const StripArgs& args, int64_t pixel, const float* values, int rows) {
  const Vec low = set1(args.low), high = set1(args.high);
  if (!args.residual) {
    store_pixels<B>(
        args, pixel, values,
        rows, [&](Vec x, int, int) __attribute__((always_inline)) { return min(high, max(low, x)); });
    return;
  }
  const auto channels = static_cast<__mmask32>((uint64_t{1} << args.channels) - 1);
  store_pixels<B>(
      args, pixel, values, rows, [&](Vec x, int r, int b) __attribute__((always_inline)) {
        const uint16_t* residual = static_cast<const uint16_t*>(args.residual) + args.residual_offsets[pixel + r] +
                                   args.first_channel + b * kLanes;
        const auto mask = static_cast<__mmask16>(channels >> (b * kLanes));
        return min(high, max(low, add(x, from_bf16(_mm256_maskz_loadu_epi16(mask, residual)))));
      });
}

// Any steps; the commonest last ones are done while storing.
template <int B>
static __attribute__((noinline)) void finish_with_steps(const StripArgs& args, int64_t pixel, float* values, int rows) {
  using Kind = ops::EpilogueKind;
  const Kind last = args.step_count > 0 ? args.steps[args.step_count - 1].kind : Kind::relu;
  const bool fused = args.step_count > 0 && ((last == Kind::silu && !args.f32_outputs) || last == Kind::hard_swish);
  const int64_t* offsets[kMaxEpilogueSteps];
  for (int s = 0; s < args.step_count; ++s) offsets[s] = args.row_offsets[s] ? args.row_offsets[s] + pixel : nullptr;
  apply_epilogue({.values = values,
                  .rows = rows,
                  .width = B * kLanes,
                  .first_channel = args.first_channel,
                  .channels = args.channels,
                  .steps = args.steps,
                  .step_count = args.step_count - (fused ? 1 : 0),
                  .row_offsets = offsets});
  if (fused && last == Kind::silu)
    store_pixels<B>(
        args, pixel, values, rows, [](Vec x, int, int) __attribute__((always_inline)) { return silu_for_bf16(x); });
  else if (fused)
    store_pixels<B>(
        args, pixel, values, rows, [](Vec x, int, int) __attribute__((always_inline)) { return hard_swish(x); });
  else
    store_pixels<B>(
        args, pixel, values, rows, [](Vec x, int, int) __attribute__((always_inline)) { return x; });
}

// Tiles [first, first + P) of the strip's pixels.
template <int P, int B>
static __attribute__((noinline)) void tiles(const StripArgs& args, const float* bias, int64_t first) {
  Part<P> parts[2];
  alignas(64) float values[P * kRows * B * kLanes];
  const int64_t last_start = args.pixels > kRows ? args.pixels - kRows : 0;
  const int count = args.pixels < kRows ? static_cast<int>(args.pixels) : kRows;
  int64_t at[P];
  for (int p = 0; p < P; ++p) at[p] = (first + p) * kRows < last_start ? (first + p) * kRows : last_start;

  begin_sums<P, B>(bias);
  const bool fetch = first == 0;
  const int64_t size = tile_depth(args.depth), count_of_parts = args.taps * ((args.depth + size - 1) / size);
  const char* weights = static_cast<const char*>(args.weights);
  Walk<P> walk{.row = args.inputs};
  if (count_of_parts > 0) prepare<P>(args, size, at, count, walk, parts[0]);
  for (int64_t i = 0; i < count_of_parts; ++i, weights += size / 2 * B * kLine) {
    if (fetch)
      for (int64_t line = 0; line < size / 2 * B; ++line) _mm_prefetch(weights + kAhead + line * kLine, _MM_HINT_T0);
    if (i + 1 < count_of_parts) prepare<P>(args, size, at, count, walk, parts[(i + 1) & 1]);
    add_products<P, B>(parts[i & 1], weights);
  }
  store_sums<P, B>(values);
  for (int p = 0; p < P; ++p) {
    const int done = static_cast<int>((first + p) * kRows - at[p]);
    float* from = values + (p * kRows + done) * B * kLanes;
    if (args.direct && !(args.residual && args.f32_outputs))
      finish_direct<B>(args, at[p] + done, from, count - done);
    else
      finish_with_steps<B>(args, at[p] + done, from, count - done);
  }
}

template <int P, int B>
static void strip_of_tiles(const StripArgs& args) {
  alignas(64) float bias[B * kLanes];
  for (int b = 0; b < B; ++b) {
    const int n = args.channels - b * kLanes;
    const float* from = args.bias + args.first_channel + b * kLanes;
    store(bias + b * kLanes, !args.bias || n <= 0 ? zero() : load_first(from, n < kLanes ? n : kLanes));
  }
  const int64_t count = (args.pixels + kRows - 1) / kRows;
  int64_t tile = 0;
  for (; tile + P <= count; tile += P) tiles<P, B>(args, bias, tile);
  for (; tile < count; ++tile) tiles<1, B>(args, bias, tile);
}

StripKernels strip_kernels_bf16() {
  StripKernels kernels{.lanes = kLanes, .main_vectors = 2, .pair = 2};
  kernels.strip[1] = strip_of_tiles<4, 1>;
  kernels.rows[1] = 4 * kRows;
  kernels.strip[2] = strip_of_tiles<2, 2>;
  kernels.rows[2] = 2 * kRows;
  kernels.chunk_pixels = 384;
  kernels.chunk_unit = 32;
  kernels.interleave_planes = avx512_bf16::interleave_planes_to_bf16;
  kernels.tiles = true;
  kernels.begin = configure_tiles;
  kernels.end = release_tiles;
  return kernels;
}

}  // namespace memline::cpu::MEML_LEVEL

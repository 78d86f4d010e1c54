// The strip kernel of strip.h for the level and element type of the file that includes this. A tile of R pixels by B
// registers of channels stays in R*B accumulators; for each input channel B registers of weights are loaded and R
// inputs broadcast. T is float or uint16_t (bf16, level AVX512-BF16 only).
#pragma once

#include "cpu/gemm/strip.h"
#include "cpu/simd/epilogue.h"

namespace memline::cpu::MEML_LEVEL {

#if defined(__AVX512BF16__)
// Pairs of bf16: 32 bits of input are broadcast, each lane adds two products.
MEML_INLINE Vec mac(Vec sum, __m512i pair, Vec weights) {
  return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(pair), reinterpret_cast<__m512bh>(weights));
}
MEML_INLINE __m512i broadcast_pair(const uint16_t* p) {
  int bits;
  __builtin_memcpy(&bits, p, sizeof(bits));
  return _mm512_set1_epi32(bits);
}
#endif

// Where the next line to fetch ahead is; a step of 0 stays where it is, on a line that is in L1 anyway.
struct Ahead {
  const char* at;
  int64_t step;
};
MEML_INLINE void fetch(Ahead& ahead) {
  _mm_prefetch(ahead.at, _MM_HINT_T1);
  ahead.at += ahead.step;
}

// Adds the products of one tap: `depth` channels under R pixels.
template <int R, int B>
MEML_INLINE const float* accumulate(const float* const (&in)[R], int64_t depth, const float* weights, Ahead& ahead,
                                    Vec (&sums)[R][B]) {
  for (int64_t k = 0; k < depth; ++k) {
    fetch(ahead);
    Vec w[B];
#pragma GCC unroll 4
    for (int b = 0; b < B; ++b) w[b] = load(weights + b * kLanes);
    weights += B * kLanes;
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const Vec x = set1(in[r][k]);
#pragma GCC unroll 4
      for (int b = 0; b < B; ++b) sums[r][b] = fma(x, w[b], sums[r][b]);
    }
  }
  return weights;
}

#if defined(__AVX512BF16__)
template <int R, int B>
MEML_INLINE const uint16_t* accumulate(const uint16_t* const (&in)[R], int64_t depth, const uint16_t* weights,
                                       Ahead& ahead, Vec (&sums)[R][B]) {
  const auto step = [&](auto&& input) __attribute__((always_inline)) {
    fetch(ahead);
    Vec w[B];
#pragma GCC unroll 4
    for (int b = 0; b < B; ++b) w[b] = load(reinterpret_cast<const float*>(weights) + b * kLanes);
    weights += 2 * B * kLanes;
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const __m512i x = input(r);
#pragma GCC unroll 4
      for (int b = 0; b < B; ++b) sums[r][b] = mac(sums[r][b], x, w[b]);
    }
  };
  int64_t k = 0;
  for (; k + 2 <= depth; k += 2) step([&](int r) __attribute__((always_inline)) { return broadcast_pair(in[r] + k); });
  if (k < depth) step([&](int r) __attribute__((always_inline)) { return _mm512_set1_epi32(in[r][k]); });
  return weights;
}
#endif

// Stores f of a tile's values, `channels` columns of each row.
template <typename T, typename F>
MEML_INLINE void store_rows(const StripArgs& args, int64_t pixel, const float* values, int rows, int vectors, F&& f) {
  for (int r = 0; r < rows; ++r) {
    T* out = static_cast<T*>(args.outputs[pixel + r]) + args.first_channel;
    for (int b = 0; b < vectors; ++b, values += kLanes) {
      const int n = args.channels - b * kLanes;
      const Vec x = f(load(values));
      if (n >= kLanes)
        store(out + b * kLanes, x);
      else if (n > 0)
        store_first(out + b * kLanes, x, n);
    }
  }
}

// Steps, then the store: for tiles at the end of the channels, and for steps that are not direct. A SiLU at the end,
// the commonest, is done while storing.
template <typename T>
static __attribute__((noinline)) void finish_through_memory(const StripArgs& args, int64_t pixel, float* values,
                                                            int rows, int vectors) {
  const int64_t* offsets[kMaxEpilogueSteps];
  for (int s = 0; s < args.step_count; ++s) offsets[s] = args.row_offsets[s] ? args.row_offsets[s] + pixel : nullptr;
  const bool ends_in_silu = args.step_count > 0 && args.steps[args.step_count - 1].kind == ops::EpilogueKind::silu;
  apply_epilogue({.values = values,
                  .rows = rows,
                  .width = vectors * kLanes,
                  .first_channel = args.first_channel,
                  .channels = args.channels,
                  .steps = args.steps,
                  .step_count = args.step_count - (ends_in_silu ? 1 : 0),
                  .row_offsets = offsets});
  if (ends_in_silu)
    store_rows<T>(
        args, pixel, values, rows, vectors, [](Vec x) __attribute__((always_inline)) { return silu(x); });
  else
    store_rows<T>(
        args, pixel, values, rows, vectors, [](Vec x) __attribute__((always_inline)) { return x; });
}

template <typename T, int R, int B>
MEML_INLINE void finish(const StripArgs& args, int64_t pixel, Vec (&sums)[R][B]) {
  const bool widens = sizeof(T) == 2 && args.f32_outputs;
  if (!args.direct || args.channels != B * kLanes || widens) {
    alignas(64) float values[R * B * kLanes];
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
      for (int b = 0; b < B; ++b) store(values + (r * B + b) * kLanes, sums[r][b]);
    if (widens) return finish_through_memory<float>(args, pixel, values, R, B);
    return finish_through_memory<T>(args, pixel, values, R, B);
  }
  if (args.residual) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const T* residual = static_cast<const T*>(args.residual) + args.residual_offsets[pixel + r] + args.first_channel;
#pragma GCC unroll 4
      for (int b = 0; b < B; ++b) sums[r][b] = add(sums[r][b], load(residual + b * kLanes));
    }
  }
  const Vec low = set1(args.low), high = set1(args.high);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    T* out = static_cast<T*>(args.outputs[pixel + r]) + args.first_channel;
#pragma GCC unroll 4
    for (int b = 0; b < B; ++b) store(out + b * kLanes, min(high, max(low, sums[r][b])));
  }
}

template <int R>
MEML_INLINE bool all_equal(const void* const* pointers, const void* to) {
  bool equal = true;
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) equal &= pointers[r] == to;
  return equal;
}

// Of a tap's weights, a channel: bf16 has pairs.
template <typename T>
MEML_INLINE int64_t tap_elements(int64_t depth) {
  return sizeof(T) == 2 ? (depth + 1) / 2 * 2 : depth;
}

template <typename T, int R, int B>
static __attribute__((noinline)) void tile(const StripArgs& args, int64_t pixel) {
  Vec sums[R][B];
#pragma GCC unroll 4
  for (int b = 0; b < B; ++b) {
    const int n = args.channels - b * kLanes;
    const float* bias = args.bias + args.first_channel + b * kLanes;
    const Vec start = !args.bias || n <= 0 ? zero() : n >= kLanes ? load(bias) : load_first(bias, n);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) sums[r][b] = start;
  }
  const T* weights = static_cast<const T*>(args.weights);
  Ahead ahead{reinterpret_cast<const char*>(args.inputs), 0};
  if (args.ahead != nullptr)
    ahead = {reinterpret_cast<const char*>(args.ahead) + pixel / R * args.ahead_per_tile,
             args.ahead_step * (sizeof(T) == 2 ? 2 : 1)};
  const void* const* row = args.inputs + pixel;
  for (int64_t t = 0; t < args.taps; ++t, row += args.input_stride) {
    if (args.zeros != nullptr && all_equal<R>(row, args.zeros)) {
      weights += tap_elements<T>(args.depth) * B * kLanes;
      continue;
    }
    const T* in[R];
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) in[r] = static_cast<const T*>(row[r]);
    weights = accumulate<R, B>(in, args.depth, weights, ahead, sums);
  }
  if (args.zeros != nullptr) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
      for (int b = 0; b < B; ++b) sums[r][b] = add(sums[r][b], zero());
  }
  finish<T, R, B>(args, pixel, sums);
}

// The last `rest` < R pixels of a strip.
template <typename T, int R, int B>
MEML_INLINE void last_tile(const StripArgs& args, int64_t pixel, int64_t rest) {
  if constexpr (R > 1) {
    if (rest == R - 1)
      tile<T, R - 1, B>(args, pixel);
    else
      last_tile<T, R - 1, B>(args, pixel, rest);
  }
}

template <typename T, int R, int B>
static void strip(const StripArgs& args) {
  int64_t pixel = 0;
  for (; pixel + R <= args.pixels; pixel += R) tile<T, R, B>(args, pixel);
  last_tile<T, R, B>(args, pixel, args.pixels - pixel);
}

template <typename T, int R, int B>
MEML_INLINE void put(StripKernels& kernels) {
  kernels.strip[B] = strip<T, R, B>;
  kernels.rows[B] = R;
}

}  // namespace memline::cpu::MEML_LEVEL

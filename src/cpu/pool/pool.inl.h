// Max and average pooling, channels-last, f32 arithmetic, T = float or bf16. Included once by each level's file.
//   * Two passes: each input column is reduced over the window's rows into scratch, then windows of columns are
//     reduced. A window of k x k costs 2k steps, and columns shared by windows are reduced once.
//   * Order: rows downwards, then columns to the right; what lies outside is left out. A NaN in a max window is its
//     result.
//   * An average is its sum divided by the number of elements that count (never times a reciprocal: four ones average
//     to one).
#include "cpu/pool/pool_kernel.h"
#include "cpu/simd/epilogue.h"
#include "cpu/simd/vec.h"

namespace memline::cpu::MEML_LEVEL {
namespace {

#if defined(__AVX512F__)
MEML_INLINE Mask is_nan(Vec x) { return _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q); }
#else
MEML_INLINE Mask is_nan(Vec x) { return _mm256_cmp_ps(x, x, _CMP_UNORD_Q); }
#endif

struct Max {
  MEML_INLINE Vec start() { return set1(-__builtin_inff()); }
  MEML_INLINE Vec step(Vec best, Vec x) { return select(is_nan(x), x, max(x, best)); }
};
struct Sum {
  MEML_INLINE Vec start() { return zero(); }
  MEML_INLINE Vec step(Vec sum, Vec x) { return add(sum, x); }
};

// One column over the rows that count.
template <typename R, typename T>
void reduce_column(const PoolRow& row, const T* in, float* out) {
  int64_t c = 0;
  for (; c + kLanes <= row.channels; c += kLanes) {
    Vec acc = R::start();
    for (int64_t r = 0; r < row.rows; ++r) acc = R::step(acc, load(in + r * row.row_step + c));
    store(out + c, acc);
  }
  if (c < row.channels) {
    const int left = static_cast<int>(row.channels - c);
    Vec acc = R::start();
    for (int64_t r = 0; r < row.rows; ++r) acc = R::step(acc, load_first(in + r * row.row_step + c, left));
    store(out + c, acc);
  }
}

struct Columns {
  int64_t begin, end, count;  // the ones inside the input; the number that counts
};
Columns columns_of(const PoolRow& row, int64_t x) {
  const int64_t first = x * row.stride_w - row.pad_left, d = row.dilation_w;
  const int64_t skipped = first < 0 ? (-first + d - 1) / d : 0;
  const auto taps_before = [&](int64_t limit) {  // taps at columns below `limit`
    const int64_t taps = limit <= first ? 0 : (limit - first + d - 1) / d;
    return taps < row.kernel_w ? taps : row.kernel_w;
  };
  const int64_t inside = taps_before(row.width);
  const int64_t counted = row.count_pads ? taps_before(row.width + row.pad_right) : inside - skipped;
  return {first + skipped * d, first + inside * d, counted};
}

template <typename R>
MEML_INLINE void reduce_window(const PoolRow& row, Columns columns, int64_t padded, float* out) {
  for (int64_t c = 0; c < padded; c += kLanes) {
    Vec acc = R::start();
    for (int64_t x = columns.begin; x < columns.end; x += row.dilation_w)
      acc = R::step(acc, load(row.scratch + x * padded + c));
    store(out + c, acc);
  }
}

MEML_INLINE void divide(float* values, int64_t padded, int64_t count) {
  const Vec divisor = set1(static_cast<float>(count > 0 ? count : 1));
  for (int64_t c = 0; c < padded; c += kLanes) store(values + c, div(load(values + c), divisor));
}

template <typename R, bool kAverage, typename T>
void run_row(const PoolRow& row) {
  const int64_t padded = (row.channels + kLanes - 1) / kLanes * kLanes;
  const T* const in = static_cast<const T*>(row.in);
  for (int64_t x = 0; x < row.width; ++x) reduce_column<R>(row, in + x * row.in_w, row.scratch + x * padded);

  constexpr int64_t kMostPixels = 16;
  alignas(64) float tile[kPoolTileFloats];
  int64_t offsets[kMaxEpilogueSteps][kMostPixels];
  const int64_t* step_offsets[kMaxEpilogueSteps];
  for (int s = 0; s < row.step_count; ++s) step_offsets[s] = offsets[s];
  const int64_t pixels = kPoolTileFloats / padded < kMostPixels ? kPoolTileFloats / padded : kMostPixels;
  for (int64_t first = 0; first < row.out_width; first += pixels) {
    const int count = static_cast<int>(row.out_width - first < pixels ? row.out_width - first : pixels);
    for (int p = 0; p < count; ++p) {
      const Columns columns = columns_of(row, first + p);
      reduce_window<R>(row, columns, padded, tile + p * padded);
      if constexpr (kAverage) divide(tile + p * padded, padded, columns.count * row.row_count);
      for (int s = 0; s < row.step_count; ++s) offsets[s][p] = row.step_base[s] + (first + p) * row.step_strides[s];
    }
    apply_epilogue({.values = tile,
                    .rows = count,
                    .width = static_cast<int>(padded),
                    .first_channel = row.first_channel,
                    .channels = static_cast<int>(row.channels),
                    .steps = row.steps,
                    .step_count = row.step_count,
                    .row_offsets = step_offsets});
    for (int p = 0; p < count; ++p) {
      T* const out = static_cast<T*>(row.out) + (first + p) * row.out_w;
      int64_t c = 0;
      for (; c + kLanes <= row.channels; c += kLanes) store(out + c, load(tile + p * padded + c));
      if (c < row.channels) store_first(out + c, load(tile + p * padded + c), static_cast<int>(row.channels - c));
    }
  }
}

}  // namespace
}  // namespace memline::cpu::MEML_LEVEL

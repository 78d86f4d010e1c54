// Softmax, f32 arithmetic, T = float or bf16. Included once by each level's file.
//   * y = exp(x - max) / sum. f32 keeps the exponentials in y between the two passes; bf16 makes them twice, so that
//     they are not rounded before they are divided. A row of one register stays in it.
//   * Along a row: a sum a lane, lanes added at the end: the order follows from the row's length. Across columns: one
//     after the other. Each element is read before it is written, so x and y may be the same.
#include "cpu/simd/activations.h"
#include "cpu/softmax/softmax_kernel.h"

namespace memline::cpu::MEML_LEVEL {
namespace {

template <typename T>
MEML_INLINE Vec load_part(const T* p, int64_t stride, int n) {
  if (stride == 1) return n == kLanes ? load(p) : load_first(p, n);
  alignas(64) T lanes[kLanes] = {};
  for (int i = 0; i < n; ++i) lanes[i] = p[i * stride];
  return load(lanes);
}
template <typename T>
MEML_INLINE void store_part(T* p, int64_t stride, Vec x, int n) {
  if (stride == 1) return n == kLanes ? store(p, x) : store_first(p, x, n);
  alignas(64) T lanes[kLanes];
  store(lanes, x);
  for (int i = 0; i < n; ++i) p[i * stride] = lanes[i];
}

// The first n lanes of x, `other` in the rest.
MEML_INLINE Vec keep_first(Vec x, int n, float other) {
  if (n == kLanes) return x;
  alignas(64) float lanes[kLanes];
  store(lanes, x);
  for (int i = n; i < kLanes; ++i) lanes[i] = other;
  return load(lanes);
}

// f(i, n) for registers of n elements from element i on.
template <typename F>
MEML_INLINE void for_each_part(int64_t length, F&& f) {
  for (int64_t i = 0; i < length; i += kLanes) f(i, length - i < kLanes ? static_cast<int>(length - i) : kLanes);
}

// e^x, x not above 0, as exact as results of type T need it.
template <typename T>
MEML_INLINE Vec exp_stored(Vec x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 2) return exp2_for_bf16(mul(x, set1(1.44269504f)));
#endif
  return exp(x);
}

template <typename T>
MEML_INLINE void softmax_short_row(const SoftmaxRows& row, const T* in, T* out) {
  const int n = static_cast<int>(row.length);
  const float lowest = -__builtin_inff();
  const Vec x = load_part(in, row.in_stride, n);
  const Vec top = set1(max_of_lanes(max(keep_first(x, n, lowest), set1(lowest))));
  const Vec e = exp_stored<T>(sub(x, top));
  const Vec scale = set1(1.0f / sum_of_lanes(add(zero(), keep_first(e, n, 0))));
  store_part(out, row.out_stride, mul(e, scale), n);
}

template <typename T>
void softmax_long_row(const SoftmaxRows& row, const T* in, T* out) {
  constexpr bool kKeeps = sizeof(T) == sizeof(float);
  const auto load_in = [&](int64_t i, int n) { return load_part(in + i * row.in_stride, row.in_stride, n); };
  const auto store_out = [&](int64_t i, int n, Vec x) { store_part(out + i * row.out_stride, row.out_stride, x, n); };
  const float lowest = -__builtin_inff();
  Vec largest = set1(lowest);
  for_each_part(row.length, [&](int64_t i, int n) { largest = max(keep_first(load_in(i, n), n, lowest), largest); });
  const Vec top = set1(max_of_lanes(largest));
  Vec sum = zero();
  for_each_part(row.length, [&](int64_t i, int n) {
    const Vec e = exp_stored<T>(sub(load_in(i, n), top));
    sum = add(sum, keep_first(e, n, 0));
    if constexpr (kKeeps) store_out(i, n, e);
  });
  const Vec scale = set1(1.0f / sum_of_lanes(sum));
  for_each_part(row.length, [&](int64_t i, int n) {
    if constexpr (kKeeps)
      store_out(i, n, mul(load_part(out + i * row.out_stride, row.out_stride, n), scale));
    else
      store_out(i, n, mul(exp_stored<T>(sub(load_in(i, n), top)), scale));
  });
}

template <typename T>
void softmax_rows(const SoftmaxRows& rows) {
  const T* in = static_cast<const T*>(rows.in);
  T* out = static_cast<T*>(rows.out);
  for (int64_t r = 0; r < rows.rows; ++r, in += rows.in_pitch, out += rows.out_pitch)
    if (rows.length <= kLanes)
      softmax_short_row(rows, in, out);
    else
      softmax_long_row(rows, in, out);
}

template <typename T>
void softmax_columns(const SoftmaxColumns& s) {
  constexpr bool kKeeps = sizeof(T) == sizeof(float);
  for_each_part(s.columns, [&](int64_t c, int n) {
    const T* const in = static_cast<const T*>(s.in) + c;
    T* const out = static_cast<T*>(s.out) + c;
    Vec top = set1(-__builtin_inff()), sum = zero();
    for (int64_t i = 0; i < s.length; ++i) top = max(load_part(in + i * s.in_stride, 1, n), top);
    for (int64_t i = 0; i < s.length; ++i) {
      const Vec e = exp_stored<T>(sub(load_part(in + i * s.in_stride, 1, n), top));
      sum = add(sum, e);
      if constexpr (kKeeps) store_part(out + i * s.out_stride, 1, e, n);
    }
    const Vec scale = div(set1(1), sum);
    for (int64_t i = 0; i < s.length; ++i) {
      T* const at = out + i * s.out_stride;
      if constexpr (kKeeps)
        store_part(at, 1, mul(load_part(at, 1, n), scale), n);
      else
        store_part(at, 1, mul(exp_stored<T>(sub(load_part(in + i * s.in_stride, 1, n), top)), scale), n);
    }
  });
}

}  // namespace
}  // namespace memline::cpu::MEML_LEVEL

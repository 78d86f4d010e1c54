// Sum, mean, max and min, f32 arithmetic, T = float or bf16. Included once by each level's file.
//   * Each run along the last reduced axis is cut into pieces of 128 elements (across columns) or registers (along
//     them); a piece is summed, then pieces are added one after the other, with what each addition loses added to the
//     next (Kahan). So the order follows from the reduced axes alone, and rounding does not grow with the length: the
//     mean of 240x240 positive numbers was off by 9e-6 without it, an error that squeeze-and-excitation hands to every
//     pixel.
//   * A NaN is the result of a max or min that sees one.
#include "cpu/reduce/reduce_kernel.h"
#include "cpu/simd/vec.h"

namespace memline::cpu::MEML_LEVEL {
namespace {

constexpr int64_t kPiece = 128;
constexpr int kColumnRegisters = 4;

#if defined(__AVX512F__)
MEML_INLINE Mask is_nan(Vec x) { return _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q); }
#else
MEML_INLINE Mask is_nan(Vec x) { return _mm256_cmp_ps(x, x, _CMP_UNORD_Q); }
#endif

// `join` folds a piece into the total; `lost` is what the additions so far have rounded away.
struct Sum {
  static constexpr float kStart = 0;
  MEML_INLINE Vec fold(Vec acc, Vec x) { return add(acc, x); }
  // Nothing is lost of an infinite total, though the difference is a NaN.
  MEML_INLINE void join(Vec& total, Vec& lost, Vec piece) {
    const Vec kept = sub(piece, lost), sum = add(total, kept);
    lost = sub(sub(sum, total), kept);
    lost = select(is_nan(lost), set1(0), lost);
    total = sum;
  }
};
struct Max {
  static constexpr float kStart = -__builtin_inff();
  MEML_INLINE Vec fold(Vec acc, Vec x) { return select(is_nan(x), x, max(x, acc)); }
  MEML_INLINE void join(Vec& total, Vec&, Vec piece) { total = fold(total, piece); }
};
struct Min {
  static constexpr float kStart = __builtin_inff();
  MEML_INLINE Vec fold(Vec acc, Vec x) { return select(is_nan(x), x, min(x, acc)); }
  MEML_INLINE void join(Vec& total, Vec&, Vec piece) { total = fold(total, piece); }
};

template <typename T>
MEML_INLINE Vec load_part(const T* p, int n) {
  return n == kLanes ? load(p) : load_first(p, n);
}

// f(offset) for each run along the last axis.
template <typename F>
MEML_INLINE void for_each_run(const ReduceAxes& axes, F&& f) {
  int64_t index[8] = {}, offset = 0;
  for (;;) {
    f(offset);
    int i = axes.rank - 2;
    for (; i >= 0; --i) {
      offset += axes.strides[i];
      if (++index[i] < axes.extents[i]) break;
      offset -= axes.extents[i] * axes.strides[i];
      index[i] = 0;
    }
    if (i < 0) return;
  }
}

// kRegisters registers of columns, the last one of n columns, over all elements.
template <typename R, int kRegisters, typename T>
MEML_INLINE void fold_columns(const ReduceAxes& axes, const T* in, int n, Vec (&total)[kRegisters]) {
  const int64_t length = axes.extents[axes.rank - 1], stride = axes.strides[axes.rank - 1];
  Vec lost[kRegisters];
  for (int r = 0; r < kRegisters; ++r) total[r] = set1(R::kStart), lost[r] = set1(0);
  for_each_run(axes, [&](int64_t offset) {
    for (int64_t first = 0; first < length; first += kPiece) {
      const int64_t end = first + kPiece < length ? first + kPiece : length;
      Vec piece[kRegisters];
      for (int r = 0; r < kRegisters; ++r) piece[r] = set1(R::kStart);
      for (int64_t i = first; i < end; ++i) {
        const T* const p = in + offset + i * stride;
        for (int r = 0; r + 1 < kRegisters; ++r) piece[r] = R::fold(piece[r], load(p + r * kLanes));
        piece[kRegisters - 1] = R::fold(piece[kRegisters - 1], load_part(p + (kRegisters - 1) * kLanes, n));
      }
      for (int r = 0; r < kRegisters; ++r) R::join(total[r], lost[r], piece[r]);
    }
  });
}

template <int kRegisters, typename T>
MEML_INLINE void store_columns(const ReduceColumns& c, T* out, int n, const Vec (&total)[kRegisters]) {
  const Vec divisor = set1(c.kind == ReduceKind::mean ? static_cast<float>(c.axes->elements()) : 1.0f);
  alignas(64) T values[kRegisters * kLanes];
  for (int r = 0; r < kRegisters; ++r) store(values + r * kLanes, div(total[r], divisor));
  for (int i = 0; i < (kRegisters - 1) * kLanes + n; ++i) out[i * c.out_stride] = values[i];
}

template <typename R, typename T>
void reduce_columns(const ReduceColumns& c) {
  const T* const in = static_cast<const T*>(c.in);
  T* const out = static_cast<T*>(c.out);
  constexpr int64_t kBlock = kColumnRegisters * kLanes;
  int64_t column = 0;
  for (; column + kBlock <= c.columns; column += kBlock) {
    Vec total[kColumnRegisters];
    fold_columns<R>(*c.axes, in + column, kLanes, total);
    store_columns(c, out + column * c.out_stride, kLanes, total);
  }
  for (; column < c.columns; column += kLanes) {
    const int n = c.columns - column < kLanes ? static_cast<int>(c.columns - column) : kLanes;
    Vec total[1];
    fold_columns<R>(*c.axes, in + column, n, total);
    store_columns(c, out + column * c.out_stride, n, total);
  }
}

template <typename R>
MEML_INLINE float fold_lanes(Vec x) {
  alignas(64) float lanes[kLanes];
  store(lanes, x);
  Vec acc = set1(lanes[0]);
  for (int i = 1; i < kLanes; ++i) acc = R::fold(acc, set1(lanes[i]));
  store(lanes, acc);
  return lanes[0];
}

// The first n lanes of x, R's start in the rest.
template <typename R>
MEML_INLINE Vec keep_first(Vec x, int n) {
  alignas(64) float lanes[kLanes];
  store(lanes, x);
  for (int i = n; i < kLanes; ++i) lanes[i] = R::kStart;
  return load(lanes);
}

template <typename T>
MEML_INLINE Vec gather(const T* p, int64_t stride, int n) {
  alignas(64) T lanes[kLanes] = {};
  for (int i = 0; i < n; ++i) lanes[i] = p[i * stride];
  return load(lanes);
}

template <typename R, typename T>
void reduce_one(const ReduceOne& one) {
  const ReduceAxes& axes = *one.axes;
  const T* const in = static_cast<const T*>(one.in);
  const int64_t length = axes.extents[axes.rank - 1], stride = axes.strides[axes.rank - 1];
  Vec total = set1(R::kStart), lost = set1(0);
  for_each_run(axes, [&](int64_t offset) {
    for (int64_t first = 0; first < length; first += kPiece * kLanes) {
      const int64_t end = first + kPiece * kLanes < length ? first + kPiece * kLanes : length;
      Vec piece = set1(R::kStart);
      for (int64_t i = first; i < end; i += kLanes) {
        const T* const p = in + offset + i * stride;
        const int n = end - i < kLanes ? static_cast<int>(end - i) : kLanes;
        const Vec x = stride == 1 ? load_part(p, n) : gather(p, stride, n);
        piece = R::fold(piece, n == kLanes ? x : keep_first<R>(x, n));
      }
      R::join(total, lost, piece);
    }
  });
  float result = fold_lanes<R>(total);
  if (one.kind == ReduceKind::mean) result /= static_cast<float>(axes.elements());
  store_first(static_cast<T*>(one.out), set1(result), 1);
}

template <typename T>
void columns(const ReduceColumns& c) {
  if (c.kind == ReduceKind::max) return reduce_columns<Max, T>(c);
  if (c.kind == ReduceKind::min) return reduce_columns<Min, T>(c);
  reduce_columns<Sum, T>(c);
}
template <typename T>
void one(const ReduceOne& o) {
  if (o.kind == ReduceKind::max) return reduce_one<Max, T>(o);
  if (o.kind == ReduceKind::min) return reduce_one<Min, T>(o);
  reduce_one<Sum, T>(o);
}

}  // namespace
}  // namespace memline::cpu::MEML_LEVEL

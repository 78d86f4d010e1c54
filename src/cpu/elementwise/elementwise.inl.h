// Elementwise functions on tiles: y = f(x) or f(x, y), then the epilogues, f32 arithmetic, T = float or bf16.
// Included once by each level's file.
//   * An operand's row is contiguous (stride 1), one value (0), or gathered (any other stride) into a buffer first.
//   * Without epilogues f32 rows are written straight to the output; otherwise through a tile of at most 8 KiB that
//     stays in L1.
//   * Each element is read before it is written, so an operand may lie exactly where the output lies.
//   * sin, cos, log and general powers go through libm one by one.
#include "cpu/elementwise/elementwise_kernel.h"
#include "cpu/simd/epilogue.h"

extern "C" {
float sinf(float);
float cosf(float);
float logf(float);
float log1pf(float);
double pow(double, double);
}

namespace memline::cpu::MEML_LEVEL {
namespace {

#if defined(__AVX512F__)
MEML_INLINE Mask is_nan(Vec x) { return _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q); }
#else
MEML_INLINE Mask is_nan(Vec x) { return _mm256_cmp_ps(x, x, _CMP_UNORD_Q); }
#endif

MEML_INLINE Vec by_lane(float (*f)(float), Vec x) {
  alignas(64) float lanes[kLanes];
  store(lanes, x);
  for (float& lane : lanes) lane = f(lane);
  return load(lanes);
}
MEML_INLINE Vec power(Vec x, Vec y) {
  alignas(64) float base[kLanes], exponent[kLanes];
  store(base, x);
  store(exponent, y);
  for (int i = 0; i < kLanes; ++i) base[i] = static_cast<float>(pow(base[i], exponent[i]));
  return load(base);
}
MEML_INLINE Vec softplus(Vec x) {  // max(x, 0) + log(1 + e^-|x|)
  return add(max(zero(), x), by_lane(log1pf, exp(sub(zero(), abs(x)))));
}

using Kind = ElementwiseKind;

template <Kind kKind>
MEML_INLINE Vec unary(const ElementwiseTile& t, Vec x) {
  if constexpr (kKind == Kind::relu)
    return max(zero(), x);
  else if constexpr (kKind == Kind::leaky_relu)
    return leaky_relu(x, t.a);
  else if constexpr (kKind == Kind::clip)
    return clip(x, t.a, t.b);
  else if constexpr (kKind == Kind::sigmoid)
    return sigmoid(x);
  else if constexpr (kKind == Kind::silu)
    return silu(x);
  else if constexpr (kKind == Kind::hard_sigmoid)
    return hard_sigmoid(x, t.a, t.b);
  else if constexpr (kKind == Kind::hard_swish)
    return hard_swish(x);
  else if constexpr (kKind == Kind::tanh)
    return tanh(x);
  else if constexpr (kKind == Kind::gelu)
    return gelu(x);
  else if constexpr (kKind == Kind::gelu_tanh)
    return gelu_tanh(x);
  else if constexpr (kKind == Kind::mish)
    return mish(x);
  else if constexpr (kKind == Kind::exp)
    return exp(x);
  else if constexpr (kKind == Kind::log)
    return by_lane(logf, x);
  else if constexpr (kKind == Kind::sqrt)
    return sqrt(x);
  else if constexpr (kKind == Kind::neg)
    return sub(set1(-0.0f), x);
  else if constexpr (kKind == Kind::abs)
    return abs(x);
  else if constexpr (kKind == Kind::erf)
    return erf(x);
  else if constexpr (kKind == Kind::floor)
    return floor(x);
  else if constexpr (kKind == Kind::ceil)
    return ceil(x);
  else if constexpr (kKind == Kind::round)
    return round(x);
  else if constexpr (kKind == Kind::reciprocal)
    return div(set1(1), x);
  else if constexpr (kKind == Kind::elu)
    return select(less(x, zero()), mul(set1(t.a), sub(exp(x), set1(1))), x);
  else if constexpr (kKind == Kind::softplus)
    return softplus(x);
  else if constexpr (kKind == Kind::sin)
    return by_lane(sinf, x);
  else if constexpr (kKind == Kind::cos)
    return by_lane(cosf, x);
  else
    return x;
}

template <Kind kKind>
MEML_INLINE Vec binary(Vec x, Vec y) {
  if constexpr (kKind == Kind::add)
    return add(x, y);
  else if constexpr (kKind == Kind::sub)
    return sub(x, y);
  else if constexpr (kKind == Kind::mul)
    return mul(x, y);
  else if constexpr (kKind == Kind::div)
    return div(x, y);
  else if constexpr (kKind == Kind::pow)
    return power(x, y);
  else if constexpr (kKind == Kind::min)
    return select(is_nan(x), x, min(x, y));
  else if constexpr (kKind == Kind::max)
    return select(is_nan(x), x, max(x, y));
  else
    return select(less(x, zero()), mul(x, y), x);
}

MEML_INLINE float to_float(float x) { return x; }
MEML_INLINE float to_float(uint16_t bf16) {
  const uint32_t bits = static_cast<uint32_t>(bf16) << 16;
  return __builtin_bit_cast(float, bits);
}

// A row of an operand: `step` is 1 (contiguous) or 0 (one value for all).
template <typename T>
struct Row {
  const T* data;
  int step;
};

template <typename T>
MEML_INLINE Row<T> row_of(const ElementwiseTile::Operand& operand, int r, int columns, T* gathered) {
  const T* const data = static_cast<const T*>(operand.data) + operand.offsets[r];
  if (operand.stride == 1) return {data, 1};
  if (operand.stride == 0) return {data, 0};
  for (int c = 0; c < columns; ++c) gathered[c] = data[c * operand.stride];
  return {gathered, 1};
}

// out[c] = f(load(c, n)) for vectors of n elements.
template <typename Out, typename F>
MEML_INLINE void for_each_vector(int columns, Out* out, F&& f) {
  int c = 0;
  for (; c + kLanes <= columns; c += kLanes) store(out + c, f(c, kLanes));
  if (c < columns) store_first(out + c, f(c, columns - c), columns - c);
}

template <typename T>
MEML_INLINE Vec load_part(const T* p, int n) {
  return n == kLanes ? load(p) : load_first(p, n);
}

// x^2, and powers whose results are as exact by another way; false for all others.
template <typename T, typename Out>
MEML_INLINE bool simple_power(Row<T> x, Row<T> y, int columns, Out* out) {
  if (x.step != 1 || y.step != 0) return false;
  const float exponent = to_float(*y.data);
  if (exponent == 2.0f)
    for_each_vector(columns, out, [&](int c, int n) {
      const Vec v = load_part(x.data + c, n);
      return mul(v, v);
    });
  else if (exponent == 1.0f)
    for_each_vector(columns, out, [&](int c, int n) { return load_part(x.data + c, n); });
  else if (exponent == -1.0f)
    for_each_vector(columns, out, [&](int c, int n) { return div(set1(1), load_part(x.data + c, n)); });
  else
    return false;
  return true;
}

template <Kind kKind, typename T, typename Out>
MEML_INLINE void binary_row(Row<T> x, Row<T> y, int columns, Out* out) {
  if constexpr (kKind == Kind::pow) {
    if (simple_power(x, y, columns, out)) return;
  }
  if (x.step == 1 && y.step == 1) {
    for_each_vector(columns, out,
                    [&](int c, int n) { return binary<kKind>(load_part(x.data + c, n), load_part(y.data + c, n)); });
  } else if (x.step == 1) {
    const Vec value = set1(to_float(*y.data));
    for_each_vector(columns, out, [&](int c, int n) { return binary<kKind>(load_part(x.data + c, n), value); });
  } else {
    const Vec value = set1(to_float(*x.data));
    if (y.step == 1) {
      for_each_vector(columns, out, [&](int c, int n) { return binary<kKind>(value, load_part(y.data + c, n)); });
    } else {
      const Vec result = binary<kKind>(value, set1(to_float(*y.data)));
      for_each_vector(columns, out, [&](int, int) { return result; });
    }
  }
}

template <Kind kKind, typename T, typename Out>
MEML_INLINE void compute_row(const ElementwiseTile& t, int r, Out* out) {
  T gathered_x[kTileColumns], gathered_y[kTileColumns];
  const Row<T> x = row_of(t.x, r, t.columns, gathered_x);
  if constexpr (is_binary(kKind)) {
    binary_row<kKind>(x, row_of(t.y, r, t.columns, gathered_y), t.columns, out);
  } else if (x.step == 1) {
    for_each_vector(t.columns, out, [&](int c, int n) { return unary<kKind>(t, load_part(x.data + c, n)); });
  } else {
    const Vec result = unary<kKind>(t, set1(to_float(*x.data)));
    for_each_vector(t.columns, out, [&](int, int) { return result; });
  }
}

template <typename T>
void store_row(const float* values, int columns, T* out, int64_t stride) {
  if (stride == 1) return for_each_vector(columns, out, [&](int c, int) { return load(values + c); });
  alignas(64) T row[kTileColumns];
  for (int c = 0; c < columns; c += kLanes) store(row + c, load(values + c));
  for (int c = 0; c < columns; ++c) out[c * stride] = row[c];
}

template <Kind kKind, typename T>
void run_tile(const ElementwiseTile& t) {
  T* const out = static_cast<T*>(t.out);
  if constexpr (sizeof(T) == sizeof(float)) {
    if (t.step_count == 0 && t.out_stride == 1) {
      for (int r = 0; r < t.rows; ++r) compute_row<kKind, T>(t, r, out + t.out_offsets[r]);
      return;
    }
  }
  alignas(64) float values[kTileFloats];
  const int width = (t.columns + kLanes - 1) / kLanes * kLanes;
  for (int r = 0; r < t.rows; ++r) {
    for (int c = t.columns; c < width; ++c) values[r * width + c] = 0;
    compute_row<kKind, T>(t, r, values + r * width);
  }
  apply_epilogue({.values = values,
                  .rows = t.rows,
                  .width = width,
                  .first_channel = t.first_column,
                  .channels = t.columns,
                  .steps = t.steps,
                  .step_count = t.step_count,
                  .row_offsets = t.step_offsets});
  for (int r = 0; r < t.rows; ++r) store_row(values + r * width, t.columns, out + t.out_offsets[r], t.out_stride);
}

template <typename T>
ElementwiseFunction find(ElementwiseKind kind) {
  switch (kind) {
#define MEML_CASE(name) \
  case Kind::name:      \
    return run_tile<Kind::name, T>;
    // clang-format off
    MEML_CASE(identity) MEML_CASE(relu) MEML_CASE(leaky_relu) MEML_CASE(clip) MEML_CASE(sigmoid) MEML_CASE(silu)
    MEML_CASE(hard_sigmoid) MEML_CASE(hard_swish) MEML_CASE(tanh) MEML_CASE(gelu) MEML_CASE(gelu_tanh) MEML_CASE(mish)
    MEML_CASE(exp) MEML_CASE(log) MEML_CASE(sqrt) MEML_CASE(neg) MEML_CASE(abs) MEML_CASE(erf) MEML_CASE(floor)
    MEML_CASE(ceil) MEML_CASE(round) MEML_CASE(reciprocal) MEML_CASE(elu) MEML_CASE(softplus) MEML_CASE(sin)
    MEML_CASE(cos) MEML_CASE(add) MEML_CASE(sub) MEML_CASE(mul) MEML_CASE(div) MEML_CASE(pow) MEML_CASE(min)
    MEML_CASE(max) MEML_CASE(prelu)
    // clang-format on
#undef MEML_CASE
  }
  return nullptr;
}

}  // namespace
}  // namespace memline::cpu::MEML_LEVEL

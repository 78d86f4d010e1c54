// LayerNormalization of a row, f32 arithmetic, T = float or bf16. Included once by each level's file.
//   * The mean first, then the squares of the distances to it: no difference of two large sums.
//   * Four sums a lane, taken in turn, added in a fixed order at the end: the order follows from the row's length. Each
//     element is read before it is written, so x and y may be the same.
#include "cpu/layer_norm/layer_norm_kernel.h"
#include "cpu/simd/vec.h"

namespace memline::cpu::MEML_LEVEL {
namespace {

constexpr int kSums = 4;

// The sum of f(x) over the row; lanes beyond its end count as 0.
template <typename T, typename F>
MEML_INLINE float sum_over(const T* in, int64_t length, F&& f) {
  Vec sums[kSums] = {zero(), zero(), zero(), zero()};
  int64_t i = 0;
  for (; i + kSums * kLanes <= length; i += kSums * kLanes)
    for (int s = 0; s < kSums; ++s) sums[s] = f(load(in + i + s * kLanes), sums[s]);
  for (; i + kLanes <= length; i += kLanes) sums[0] = f(load(in + i), sums[0]);
  float tail = 0;
  if (i < length) {
    alignas(64) float lanes[kLanes];
    store(lanes, f(load_first(in + i, static_cast<int>(length - i)), zero()));
    for (int64_t k = 0; k < length - i; ++k) tail += lanes[k];
  }
  return sum_of_lanes(add(add(sums[0], sums[1]), add(sums[2], sums[3]))) + tail;
}

template <typename T>
void layer_norm_row(const LayerNormRow& row) {
  const T* const in = static_cast<const T*>(row.in);
  T* const out = static_cast<T*>(row.out);
  const float count = static_cast<float>(row.length);
  const Vec mean = set1(sum_over(in, row.length, [](Vec x, Vec sum) { return add(x, sum); }) / count);
  const float squares = sum_over(in, row.length, [&](Vec x, Vec sum) {
    const Vec d = sub(x, mean);
    return fma(d, d, sum);
  });
  const Vec inverse = set1(1.0f / __builtin_sqrtf(squares / count + row.epsilon));
  const auto normal = [&](Vec x, Vec scale, Vec bias) { return fma(mul(sub(x, mean), inverse), scale, bias); };
  int64_t i = 0;
  for (; i + kLanes <= row.length; i += kLanes)
    store(out + i, normal(load(in + i), load(row.scale + i), row.bias ? load(row.bias + i) : zero()));
  if (const auto n = static_cast<int>(row.length - i); n > 0)
    store_first(
        out + i,
        normal(load_first(in + i, n), load_first(row.scale + i, n), row.bias ? load_first(row.bias + i, n) : zero()),
        n);
}

}  // namespace
}  // namespace memline::cpu::MEML_LEVEL

// Linear and cubic interpolation, channels-last, f32 arithmetic, T = float or bf16. Included once by each level's
// file.
//   * Each input column is interpolated over the rows into scratch, then output columns over those: 2k steps instead
//     of k x k.
//   * Order: rows downwards, then columns to the right, weights as the op's definition gives them in f64, rounded to
//     f32.
#include "cpu/resize/resize_kernel.h"
#include "cpu/simd/vec.h"

namespace memline::cpu::MEML_LEVEL {
namespace {

template <typename T>
void interpolate_rows(const ResizeRow& row, const T* column, float* out) {
  const ResizeWeights& y = *row.y;
  int64_t c = 0;
  for (; c + kLanes <= row.channels; c += kLanes) {
    Vec sum = mul(load(column + y.index[0] * row.in_h + c), set1(y.weight[0]));
    for (int t = 1; t < y.count; ++t) sum = fma(load(column + y.index[t] * row.in_h + c), set1(y.weight[t]), sum);
    store(out + c, sum);
  }
  if (c < row.channels) {
    const int left = static_cast<int>(row.channels - c);
    Vec sum = mul(load_first(column + y.index[0] * row.in_h + c, left), set1(y.weight[0]));
    for (int t = 1; t < y.count; ++t)
      sum = fma(load_first(column + y.index[t] * row.in_h + c, left), set1(y.weight[t]), sum);
    store(out + c, sum);
  }
}

MEML_INLINE Vec interpolate_columns(const float* scratch, int64_t padded, const ResizeWeights& x) {
  Vec sum = mul(load(scratch + x.index[0] * padded), set1(x.weight[0]));
  for (int t = 1; t < x.count; ++t) sum = fma(load(scratch + x.index[t] * padded), set1(x.weight[t]), sum);
  return sum;
}

template <typename T>
void run_row(const ResizeRow& row) {
  const int64_t padded = (row.channels + kLanes - 1) / kLanes * kLanes;
  const T* const in = static_cast<const T*>(row.in);
  for (int64_t x = 0; x < row.width; ++x) interpolate_rows(row, in + x * row.in_w, row.scratch + x * padded);
  for (int64_t x = 0; x < row.out_width; ++x) {
    T* const out = static_cast<T*>(row.out) + x * row.out_w;
    int64_t c = 0;
    for (; c + kLanes <= row.channels; c += kLanes)
      store(out + c, interpolate_columns(row.scratch + c, padded, row.columns[x]));
    if (c < row.channels)
      store_first(out + c, interpolate_columns(row.scratch + c, padded, row.columns[x]),
                  static_cast<int>(row.channels - c));
  }
}

}  // namespace
}  // namespace memline::cpu::MEML_LEVEL

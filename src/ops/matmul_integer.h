// Products of quantised matrices, shared by MatMulInteger and QLinearMatMul. Zero points and scales are one for the
// tensor, one a row of a (a vector of M, or [..., M, 1]) or one a column of b (a vector of N, or [..., 1, N]).
#pragma once

#include "ops/matmul.h"

namespace memline::ops {

// A parameter of a (index `parameter`) or of b fits its matrix; `matrix` is that input's index.
Status check_row_parameter(const InferContext& in, size_t parameter, size_t matrix);
Status check_column_parameter(const InferContext& in, size_t parameter, size_t matrix);

// Strides with which y's index finds a parameter of a or b; an absent one has none.
Extents row_parameter_strides(const TensorView& parameter, const TensorView& y);
Extents column_parameter_strides(const TensorView& parameter, const TensorView& y);

// put(at, sum): at[0] is the offset in y, at[3] and at[4] those in the parameters of a and b (which lie alike for scale
// and zero).
template <typename Put>
void multiply_integers(const TensorView& a, const TensorView& b, const TensorView& a_zero, const TensorView& b_zero,
                       const TensorView& y, const TensorView& a_parameter, const TensorView& b_parameter, Put&& put) {
  const Product p = product_of(a, b, y);
  const std::array<Extents, 7> strides = {p.y.strides,
                                          p.a_strides,
                                          p.b_strides,
                                          row_parameter_strides(a_parameter, p.y),
                                          column_parameter_strides(b_parameter, p.y),
                                          row_parameter_strides(a_zero, p.y),
                                          column_parameter_strides(b_zero, p.y)};
  walk(p.y.rank, p.y.dims, strides, [&](const auto& at) {
    const int64_t za = a_zero.data ? load<int64_t>(a_zero, at[5]) : 0;
    const int64_t zb = b_zero.data ? load<int64_t>(b_zero, at[6]) : 0;
    int64_t sum = 0;
    for (int64_t k = 0; k < p.depth; ++k)
      sum += (load<int64_t>(a, at[1] + k * p.a_step) - za) * (load<int64_t>(b, at[2] + k * p.b_step) - zb);
    put(at, sum);
  });
}

}  // namespace memline::ops

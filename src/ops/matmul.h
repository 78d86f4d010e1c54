// numpy.matmul's rules, shared by MatMul, MatMulInteger and QLinearMatMul: the last two axes multiply, those before
// broadcast, an input of rank 1 is a row (a) or a column (b) whose extra axis the output drops.
#pragma once

#include <algorithm>

#include "ops/op.h"
#include "ops/reference.h"

namespace memline::ops {

// The output's dims for inputs `a` and `b` (indices into the context).
Result<std::vector<DimExpr>> matmul_dims(const InferContext& in, size_t a, size_t b);
std::vector<RowNeed> matmul_rows(const InferContext& in, size_t a, size_t b, int axis, RowRange rows);

// The three views as stacks of matrices of one rank >= 2, and how an element of y finds its row of a and its column of
// b: the offsets of both are walked with y's index, and `depth` products lie a_step and b_step apart.
struct Product {
  TensorView y;
  Extents a_strides{}, b_strides{};
  int64_t depth = 0, a_step = 0, b_step = 0;
};
Product product_of(const TensorView& a, const TensorView& b, const TensorView& y);

// put(offset in y, sum, offset in addend) for each element; sums run over the depth in order, in C (double for floats,
// int64_t for integers). The addend is broadcast to y; it may be empty.
template <typename C, typename Put>
void multiply(const TensorView& a, const TensorView& b, const TensorView& addend, const TensorView& y, Put&& put) {
  constexpr int64_t kTile = 16;
  const Product p = product_of(a, b, y);
  const int last = p.y.rank - 1;
  const int64_t columns = p.y.dim(last), b_column = p.b_strides[static_cast<size_t>(last)];
  Extents rows = p.y.dims;
  rows[static_cast<size_t>(last)] = columns > 0 ? 1 : 0;
  const Extents addends = broadcast_strides(addend, p.y);
  const int64_t addend_column = addends[static_cast<size_t>(last)];
  walk<4>(p.y.rank, rows, {p.y.strides, p.a_strides, p.b_strides, addends}, [&](const auto& at) {
    for (int64_t n = 0; n < columns; n += kTile) {
      const int64_t count = std::min(kTile, columns - n);
      std::array<C, kTile> sums{}, run{};
      for (int64_t k = 0; k < p.depth; ++k) {
        const C left = load<C>(a, at[1] + k * p.a_step);
        load_run(b, at[2] + k * p.b_step + n * b_column, b_column, count, run.data());
        for (size_t j = 0; j < kTile; ++j) sums[j] += left * run[j];
      }
      for (int64_t j = 0; j < count; ++j)
        put(at[0] + (n + j) * p.y.stride(last), sums[static_cast<size_t>(j)], at[3] + (n + j) * addend_column);
    }
  });
}

}  // namespace memline::ops

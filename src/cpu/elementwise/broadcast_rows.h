// How an elementwise step walks its operands: the axes of the output, merged where every operand allows it, as rows
// along the innermost one. Operands are aligned at the last axis and broadcast as ONNX says (stride 0).
//   * Axes of extent 1 vanish; axes that lie next to each other in every operand become one; the rest is sorted by
//     the stride of operand 0, the output, so that the innermost axis is contiguous there.
#pragma once

#include <array>
#include <cstdint>

#include "ops/op.h"
#include "tensor/tensor_view.h"

namespace memline::cpu {

inline constexpr int kMaxOperands = 12;

class BroadcastRows {
 public:
  // Only rows [rows.begin, rows.end) of the output's logical `row_axis` are walked; an axis that it does not have means
  // all.
  BroadcastRows(const TensorView& out, int row_axis, ops::RowRange rows) noexcept;
  // Adds an operand by its strides on the output's axes, and gives its number. The output is number 0.
  int add(const std::array<int64_t, kMaxRank>& strides) noexcept;
  // An operand broadcast to the output's dims.
  int add_broadcast(const TensorView& operand) noexcept;
  // After the last add(): merges the axes.
  void finish() noexcept;

  int64_t columns() const { return columns_.extent; }  // elements of a row
  int64_t rows() const { return rows_; }
  int64_t column_stride(int operand) const { return columns_.strides[static_cast<size_t>(operand)]; }

  // The offsets of rows [first, first + count) of an operand, in elements.
  void offsets(int operand, int64_t first, int count, int64_t* offsets) const noexcept;

 private:
  struct Axis {
    int64_t extent = 1;
    std::array<int64_t, kMaxOperands> strides{};
  };
  bool merges(const Axis& outer, const Axis& inner) const;

  std::array<Axis, kMaxRank> axes_{};  // before finish(): by logical axis; after: the outer ones, outermost first
  Axis columns_;
  std::array<int64_t, kMaxOperands> base_{};  // offset of the first row asked for
  int rank_, operands_ = 0, row_axis_;
  int64_t first_row_ = 0, rows_ = 1;
};

}  // namespace memline::cpu

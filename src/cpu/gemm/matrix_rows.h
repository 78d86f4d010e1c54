// The rows of a matrix product for strips: a pointer into a, one into y and the epilogue's offsets for each row. Rows
// lie on all axes of y but the last. Where b has a matrix of its own for each element of the leading axes, those make
// groups of rows.
#pragma once

#include "cpu/gemm/pixel_list.h"
#include "cpu/gemm/strip_epilogue.h"

namespace memline::cpu {

class MatrixRows {
 public:
  // Cuts y to `rows` of `row_axis`. grouped: b has leading axes.
  MatrixRows(const TensorView& a, const TensorView& b, const TensorView& y, int row_axis, ops::RowRange rows,
             bool grouped, const StripEpilogue& epilogue) noexcept;

  int64_t groups() const { return groups_; }
  int64_t rows() const { return rows_; }  // of a group
  int64_t depth() const { return depth_; }
  int64_t b_offset(int64_t group) const noexcept;  // in elements

  // Rows [begin, end) of a group.
  void list(int64_t group, int64_t begin, int64_t end, PixelList& list) const noexcept;
  // Copies what list.inputs point to, k side by side, to `copies` [row][depth], and points there.
  void gather(PixelList& list, std::byte* copies) const noexcept;

 private:
  struct Axis {
    int64_t extent, first, a_stride, b_stride, y_stride;  // strides in elements
  };
  int axes_, grouped_axes_;
  Axis axis_[kMaxRank];
  int64_t groups_, rows_, depth_, k_stride_, element_, y_element_;
  const std::byte* a_;
  std::byte* y_;
  const StripEpilogue& epilogue_;
};

}  // namespace memline::cpu

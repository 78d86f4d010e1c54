// Rows along the innermost row axis are an arithmetic sequence; the outer axes move like an odometer.
#include "cpu/gemm/matrix_rows.h"

#include <algorithm>

namespace memline::cpu {
namespace {

// The stride of `view` on y's axis `axis` of `rank`; 0 where the view is broadcast.
int64_t stride_on(const TensorView& view, int axis, int rank) {
  const int own = axis - (rank - view.rank);
  return own < 0 || view.dim(own) == 1 ? 0 : view.stride(own);
}

}  // namespace

MatrixRows::MatrixRows(const TensorView& a, const TensorView& b, const TensorView& y, int row_axis, ops::RowRange rows,
                       bool grouped, const StripEpilogue& epilogue) noexcept
    : axes_(y.rank - 1),
      grouped_axes_(grouped ? y.rank - 2 : 0),
      groups_(1),
      rows_(1),
      depth_(a.dim(a.rank - 1)),
      k_stride_(a.stride(a.rank - 1)),
      element_(size_of(a.dtype)),
      y_element_(size_of(y.dtype)),
      a_(a.as<const std::byte>()),
      y_(y.as<std::byte>()),
      epilogue_(epilogue) {
  for (int i = 0; i < axes_; ++i) {
    const bool is_m = i == axes_ - 1;
    axis_[i] = {.extent = y.dim(i),
                .first = 0,
                .a_stride = stride_on(a, i, y.rank),
                .b_stride = is_m ? 0 : stride_on(b, i, y.rank),
                .y_stride = y.stride(i)};
    if (i == row_axis) {
      axis_[i].first = rows.begin;
      axis_[i].extent = rows.end - rows.begin;
    }
    (i < grouped_axes_ ? groups_ : rows_) *= axis_[i].extent;
  }
}

int64_t MatrixRows::b_offset(int64_t group) const noexcept {
  int64_t offset = 0;
  for (int i = grouped_axes_ - 1; i >= 0; --i) {
    offset += (group % axis_[i].extent + axis_[i].first) * axis_[i].b_stride;
    group /= axis_[i].extent;
  }
  return offset;
}

void MatrixRows::list(int64_t group, int64_t begin, int64_t end, PixelList& list) const noexcept {
  list.count = 0;
  while (begin < end) {
    const Axis& inner = axis_[axes_ - 1];
    int64_t index[kMaxRank] = {}, rest = group * rows_ + begin;
    for (int i = axes_ - 1; i >= 0; --i) {
      index[i] = rest % axis_[i].extent + axis_[i].first;
      rest /= axis_[i].extent;
    }
    const int64_t run = std::min(end - begin, inner.extent + inner.first - index[axes_ - 1]);
    int64_t a = 0, y = 0;
    for (int i = 0; i < axes_; ++i) {
      a += index[i] * axis_[i].a_stride;
      y += index[i] * axis_[i].y_stride;
    }
    for (int64_t i = 0; i < run; ++i) {
      list.inputs[list.count + i] = a_ + (a + i * inner.a_stride) * element_;
      list.outputs[list.count + i] = y_ + (y + i * inner.y_stride) * y_element_;
    }
    for (int s = 0; s < epilogue_.steps(); ++s) {
      if (!epilogue_.has_operand(s)) continue;
      int64_t base = 0;
      for (int i = 0; i < axes_; ++i) base += index[i] * epilogue_.strides(s)[static_cast<size_t>(i)];
      const int64_t step = epilogue_.strides(s)[static_cast<size_t>(axes_ - 1)];
      for (int64_t i = 0; i < run; ++i) list.offsets[s][list.count + i] = base + i * step;
    }
    list.count += run;
    begin += run;
  }
}

void MatrixRows::gather(PixelList& list, std::byte* copies) const noexcept {
  const auto copy_row = [&](auto element, const void* from, std::byte* to) {
    using T = decltype(element);
    for (int64_t k = 0; k < depth_; ++k) reinterpret_cast<T*>(to)[k] = static_cast<const T*>(from)[k * k_stride_];
  };
  for (int64_t row = 0; row < list.count; ++row) {
    std::byte* to = copies + row * depth_ * element_;
    if (element_ == 4)
      copy_row(uint32_t{}, list.inputs[row], to);
    else
      copy_row(uint16_t{}, list.inputs[row], to);
    list.inputs[row] = to;
  }
}

}  // namespace memline::cpu

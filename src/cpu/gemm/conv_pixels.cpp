// Pointers of a run of pixels of one output row are an arithmetic sequence for each tap, but for the padding.
#include "cpu/gemm/conv_pixels.h"

#include <algorithm>

namespace memline::cpu {
int64_t ConvPixels::bytes(int64_t capacity, int64_t kernel_h, int64_t kernel_w, int64_t steps) {
  return PixelList::bytes(capacity, kernel_h * kernel_w, steps) + PixelList::bytes(capacity, kernel_h, steps);
}

ConvPixels::ConvPixels(std::byte* workspace, int64_t capacity, const ConvGeometry& geometry,
                       const StripEpilogue& epilogue) noexcept
    : g_(geometry), epilogue_(epilogue) {
  by_tap_ = PixelList::carve(workspace, capacity, g_.y.kernel * g_.x.kernel, epilogue.steps());
  by_row_ = PixelList::carve(workspace, capacity, g_.y.kernel, epilogue.steps());
  // x is inside when 0 <= x * stride - pad and x * stride - pad + extent <= in_w.
  inner_begin_ = inner_end_ = 0;
  if (!g_.dense_rows || g_.x.kernel == 1) return;
  inner_begin_ = ceil_div(g_.x.pad_begin, g_.x.stride);
  const int64_t room = g_.in_w + g_.x.pad_begin - g_.x.extent();
  inner_end_ = room < 0 ? inner_begin_ : std::max(inner_begin_, room / g_.x.stride + 1);
}

void ConvPixels::list(int64_t begin, int64_t end, int64_t group_offset, const std::byte* zeros) noexcept {
  by_tap_.count = by_row_.count = 0;
  group_offset_ = group_offset;
  zeros_ = zeros;
  int64_t x = begin % g_.out_w, y = begin / g_.out_w % g_.out_h, n = begin / g_.out_w / g_.out_h;
  for (int64_t left = end - begin; left > 0;) {
    const int64_t run = std::min(left, g_.out_w - x);
    const int64_t inner0 = std::clamp(inner_begin_ - g_.first_x, x, x + run);
    const int64_t inner1 = std::clamp(inner_end_ - g_.first_x, inner0, x + run);
    add_run(by_tap_, false, n, y, x, inner0);
    add_run(by_row_, true, n, y, inner0, inner1);
    add_run(by_tap_, false, n, y, inner1, x + run);
    left -= run;
    x = 0;
    if (++y == g_.out_h) {
      y = 0;
      ++n;
    }
  }
}

void ConvPixels::add_run(PixelList& list, bool rows, int64_t n, int64_t y, int64_t x0, int64_t x1) noexcept {
  if (x0 == x1) return;
  const int64_t start = list.count, length = x1 - x0;
  const int64_t kernel_w = rows ? 1 : g_.x.kernel, step = g_.x.stride * g_.in_stride_w;
  const void** inputs = list.inputs + start;
  for (int64_t ky = 0; ky < g_.y.kernel; ++ky) {
    const int64_t in_y = g_.y.start(y + g_.first_y) + ky * g_.y.dilation;
    const bool row_inside = in_y >= 0 && in_y < g_.in_h;
    const std::byte* row = g_.in + group_offset_ + n * g_.in_stride_n + in_y * g_.in_stride_h;
    for (int64_t kx = 0; kx < kernel_w; ++kx, inputs += list.capacity) {
      int64_t in_x = g_.x.start(x0 + g_.first_x) + kx * g_.x.dilation;
      if (rows) {
        for (int64_t i = 0; i < length; ++i) inputs[i] = row_inside ? row + in_x * g_.in_stride_w + i * step : zeros_;
        continue;
      }
      for (int64_t i = 0; i < length; ++i, in_x += g_.x.stride)
        inputs[i] = row_inside && in_x >= 0 && in_x < g_.in_w ? row + in_x * g_.in_stride_w : zeros_;
    }
  }
  std::byte* out =
      g_.out + n * g_.out_stride_n + (y + g_.first_y) * g_.out_stride_h + (x0 + g_.first_x) * g_.out_stride_w;
  for (int64_t i = 0; i < length; ++i) list.outputs[start + i] = out + i * g_.out_stride_w;
  for (int s = 0; s < epilogue_.steps(); ++s) {
    if (!epilogue_.has_operand(s)) continue;
    const auto& strides = epilogue_.strides(s);
    const int64_t step_x = strides[static_cast<size_t>(g_.rank - 1)], step_y = g_.rank == 4 ? strides[2] : 0;
    const int64_t base = (n + g_.first_n) * strides[0] + (y + g_.first_y) * step_y + (x0 + g_.first_x) * step_x;
    for (int64_t i = 0; i < length; ++i) list.offsets[s][start + i] = base + i * step_x;
  }
  list.count += length;
}

}  // namespace memline::cpu

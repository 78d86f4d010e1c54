// Pointers of a run of pixels of one output row are an arithmetic sequence for each tap, but for the padding.
#include "cpu/gemm/conv_pixels.h"

#include <algorithm>
#include <cstring>

namespace memline::cpu {
namespace {

constexpr int64_t kTableBytes = 64 << 10;  // of pointers, so that large kernels leave room in L2
constexpr int64_t kCopies = 24;            // a chunk of 96 pixels in rows of 20 has ten windows over edges
constexpr int64_t kCopyBytes = 64 << 10;
constexpr int64_t kPaddedBytes =
    192 << 10;                        // beside the weights in L2; 384 pixels in rows of 20 with 128 channels: 124
constexpr int64_t kPaddedWidth = 48;  // in wider rows few windows reach over edges: no gain from 56 on

}  // namespace

ConvChunk::ConvChunk(const ConvShape& shape, const StripKernels& kernels, size_t epilogues)
    : taps(shape.taps()), steps(static_cast<int64_t>(epilogues)) {
  const int64_t unit = 2 * kernels.chunk_unit;
  pixels = std::clamp<int64_t>(kTableBytes / (taps * 8) / unit * unit, unit, kernels.chunk_pixels);
  row_bytes = shape.kernel_w * shape.depth * (kernels.pair == 1 ? 4 : 2);
  window_bytes = shape.kernel_h * row_bytes;
  copies = shape.attrs.group > 1 || window_bytes == 0 ? 0 : std::min(kCopies, kCopyBytes / window_bytes);
  capacity = pixels;
  padded_bytes = nowhere = 0;
  if (!kernels.tiles || taps == 1) return;
  if (shape.kernel_w > 1) copies = 0;  // tiles take no rows of taps
  if (std::any_of(shape.attrs.strides.begin(), shape.attrs.strides.end(), [](int64_t s) { return s != 1; })) return;
  capacity = pixels + pixels / 2;
  padded_bytes = kPaddedBytes;
  nowhere = align_up(shape.attrs.group * shape.outputs * 2, 64);
}

ConvPixels::ConvPixels(std::byte* workspace, const ConvChunk& chunk, const ConvGeometry& geometry,
                       const StripEpilogue& epilogue) noexcept
    : chunk_(chunk), g_(geometry), epilogue_(epilogue) {
  list_ = PixelList::carve(workspace, chunk.capacity, chunk.taps, epilogue.steps());
  copies_ = workspace;
  // x is inside when 0 <= x * stride - pad and x * stride - pad + extent <= in_w.
  const int64_t room = g_.in_w + g_.x.pad_begin - g_.x.extent();
  inner_begin_ = ceil_div(g_.x.pad_begin, g_.x.stride) - g_.first_x;
  inner_end_ = (room < 0 ? 0 : room / g_.x.stride + 1) - g_.first_x;
}

int64_t ConvPixels::windows_over_edges(int64_t begin, int64_t end) const noexcept {
  int64_t inner = 0;
  for (int64_t x = begin % g_.out_w, left = end - begin; left > 0; x = 0) {
    const int64_t run = std::min(left, g_.out_w - x);
    inner += std::max<int64_t>(0, std::min(inner_end_, x + run) - std::max(inner_begin_, x));
    left -= run;
  }
  return end - begin - inner;
}

void ConvPixels::list(int64_t begin, int64_t end, int64_t group_offset, const std::byte* zeros) noexcept {
  list_.count = copied_ = 0;
  group_offset_ = group_offset;
  zeros_ = zeros;
  by_row_ = false;
  if (chunk_.padded_bytes > 0 && list_padded(begin, end)) return;
  by_row_ = g_.dense_rows && windows_over_edges(begin, end) <= chunk_.copies;
  Run run{.n = begin / g_.out_w / g_.out_h, .y = begin / g_.out_w % g_.out_h, .x = begin % g_.out_w, .length = 0};
  for (int64_t left = end - begin; left > 0; left -= run.length, run.x = 0) {
    if (run.y == g_.out_h) {
      run.y = 0;
      ++run.n;
    }
    run.length = std::min(left, g_.out_w - run.x);
    if (by_row_)
      add_rows(run);
    else
      add_taps(run);
    add_outputs(run);
    list_.count += run.length;
    ++run.y;
  }
}

// Columns [0, width) of what windows of a row see, from that of the first output column on.
void ConvPixels::copy_padded_row(const std::byte* row, int64_t width, std::byte* to) const noexcept {
  const int64_t pixel = chunk_.window_bytes / chunk_.taps, x = g_.x.start(g_.first_x);
  const int64_t left = row ? std::clamp<int64_t>(-x, 0, width) : width;
  const int64_t right = row ? std::clamp<int64_t>(g_.in_w - x, left, width) : width;
  std::memset(to, 0, static_cast<size_t>(left * pixel));
  if (g_.in_stride_w == pixel && right > left)
    std::memcpy(to + left * pixel, row + (x + left) * pixel, static_cast<size_t>((right - left) * pixel));
  else
    for (int64_t i = left; i < right; ++i)
      std::memcpy(to + i * pixel, row + (x + i) * g_.in_stride_w, static_cast<size_t>(pixel));
  std::memset(to + right * pixel, 0, static_cast<size_t>((width - right) * pixel));
}

// False where the chunk is of several pictures, or does not fit.
bool ConvPixels::list_padded(int64_t begin, int64_t end) noexcept {
  if (g_.out_w >= kPaddedWidth || g_.x.stride != 1 || g_.y.stride != 1) return false;
  const int64_t top = begin / g_.out_w, bottom = (end - 1) / g_.out_w, n = top / g_.out_h;
  const int64_t between = g_.x.extent() - 1, width = g_.out_w + between;
  const int64_t rows = bottom - top + g_.y.extent(), pixel = chunk_.window_bytes / chunk_.taps;
  const int64_t first = begin % g_.out_w, count = (bottom - top) * width + (end - 1) % g_.out_w - first + 1;
  if (bottom / g_.out_h != n || count > list_.capacity || rows * width * pixel > chunk_.padded_bytes) return false;

  Run run{.n = n, .y = top % g_.out_h, .x = first, .length = 0};
  for (int64_t r = 0; r < rows; ++r)  // input rows follow one another, so each is the first under an output row
    copy_padded_row(input_row({.n = n, .y = run.y + r, .x = 0, .length = 0}, 0), width, copies_ + r * width * pixel);
  for (int64_t ky = 0; ky < g_.y.kernel; ++ky) {
    for (int64_t kx = 0; kx < g_.x.kernel; ++kx) {
      const void** inputs = list_.inputs + (ky * g_.x.kernel + kx) * list_.capacity;
      const std::byte* at = copies_ + (ky * g_.y.dilation * width + kx * g_.x.dilation + first) * pixel;
      for (int64_t i = 0; i < count; ++i) inputs[i] = at + i * pixel;
    }
  }
  for (int64_t left = end - begin; left > 0; left -= run.length, run.x = 0, ++run.y) {
    run.length = std::min(left, g_.out_w - run.x);
    add_outputs(run);
    list_.count += run.length;
    for (int64_t i = 0; i < between && left > run.length; ++i, ++list_.count) {
      list_.outputs[list_.count] = copies_ + chunk_.padded_bytes;
      for (int s = 0; s < epilogue_.steps(); ++s)
        if (epilogue_.has_operand(s)) list_.offsets[s][list_.count] = list_.offsets[s][list_.count - 1];
    }
  }
  return true;
}

const std::byte* ConvPixels::input_row(const Run& run, int64_t ky) const noexcept {
  const int64_t y = g_.y.start(run.y + g_.first_y) + ky * g_.y.dilation;
  if (y < 0 || y >= g_.in_h) return nullptr;
  return g_.in + group_offset_ + run.n * g_.in_stride_n + y * g_.in_stride_h;
}

void ConvPixels::add_taps(const Run& run) noexcept {
  const void** inputs = list_.inputs + list_.count;
  for (int64_t ky = 0; ky < g_.y.kernel; ++ky) {
    const std::byte* row = input_row(run, ky);
    for (int64_t kx = 0; kx < g_.x.kernel; ++kx, inputs += list_.capacity) {
      int64_t x = g_.x.start(run.x + g_.first_x) + kx * g_.x.dilation;
      for (int64_t i = 0; i < run.length; ++i, x += g_.x.stride)
        inputs[i] = row && x >= 0 && x < g_.in_w ? row + x * g_.in_stride_w : zeros_;
    }
  }
}

void ConvPixels::add_rows(const Run& run) noexcept {
  const void** inputs = list_.inputs + list_.count;
  const int64_t first = std::clamp<int64_t>(inner_begin_ - run.x, 0, run.length);
  const int64_t last = std::clamp<int64_t>(inner_end_ - run.x, first, run.length);
  const int64_t step = g_.x.stride * g_.in_stride_w, start = g_.x.start(run.x + g_.first_x) * g_.in_stride_w;
  for (int64_t ky = 0; ky < g_.y.kernel; ++ky, inputs += list_.capacity) {
    const std::byte* row = input_row(run, ky);
    for (int64_t i = first; i < last; ++i) inputs[i] = row ? row + start + i * step : zeros_;
  }
  for (int64_t i = 0; i < first; ++i) copy_window(run, i);
  for (int64_t i = last; i < run.length; ++i) copy_window(run, i);
}

// Pixel i of the run: the columns of its window that exist lie between zeros.
void ConvPixels::copy_window(const Run& run, int64_t i) noexcept {
  const int64_t kernel = g_.x.kernel, column = chunk_.row_bytes / kernel;
  const int64_t x = g_.x.start(run.x + i + g_.first_x);
  const int64_t left = std::clamp<int64_t>(-x, 0, kernel), right = std::clamp<int64_t>(g_.in_w - x, left, kernel);
  std::byte* copy = copies_ + copied_++ * chunk_.window_bytes;
  for (int64_t ky = 0; ky < g_.y.kernel; ++ky, copy += chunk_.row_bytes) {
    const std::byte* row = input_row(run, ky);
    list_.inputs[ky * list_.capacity + list_.count + i] = row ? copy : zeros_;
    if (!row) continue;
    std::memset(copy, 0, static_cast<size_t>(left * column));
    std::memcpy(copy + left * column, row + (x + left) * column, static_cast<size_t>((right - left) * column));
    std::memset(copy + right * column, 0, static_cast<size_t>((kernel - right) * column));
  }
}

void ConvPixels::add_outputs(const Run& run) noexcept {
  const int64_t n = run.n, y = run.y + g_.first_y, x = run.x + g_.first_x;
  std::byte* out = g_.out + n * g_.out_stride_n + y * g_.out_stride_h + x * g_.out_stride_w;
  for (int64_t i = 0; i < run.length; ++i) list_.outputs[list_.count + i] = out + i * g_.out_stride_w;
  for (int s = 0; s < epilogue_.steps(); ++s) {
    if (!epilogue_.has_operand(s)) continue;
    const auto& strides = epilogue_.strides(s);
    const int64_t step_x = strides[static_cast<size_t>(g_.rank - 1)], step_y = g_.rank == 4 ? strides[2] : 0;
    const int64_t base = (n + g_.first_n) * strides[0] + y * step_y + x * step_x;
    for (int64_t i = 0; i < run.length; ++i) list_.offsets[s][list_.count + i] = base + i * step_x;
  }
}

}  // namespace memline::cpu

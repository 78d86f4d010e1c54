// Three planes of f32 (a model's picture) go through SSE shuffles, four pixels at a time; everything else element by
// element.
#include "cpu/gemm/interleaved_rows.h"

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "tensor/half.h"

namespace memline::cpu {
namespace {

template <typename To, typename From>
To convert(From x) {
  if constexpr (sizeof(To) == sizeof(From)) {
    return x;
  } else if constexpr (sizeof(To) == 2) {
    return f32_to_bf16(x);
  } else {
    return bf16_to_f32(x);
  }
}

template <typename To, typename From>
void interleave(const From* from, int64_t c_stride, int64_t x_stride, int64_t channels, int64_t pixel_channels,
                int64_t begin, int64_t end, To* to) {
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t x = begin; x < end; ++x) to[x * pixel_channels + c] = convert<To>(from[c * c_stride + x * x_stride]);
}

// Pixels [0, end / 4 * 4) of three planes; returns how many.
int64_t interleave_planes(const float* r, const float* g, const float* b, int64_t end, float* to) {
  int64_t x = 0;
  for (; x + 4 <= end; x += 4, to += 12) {
    const __m128 red = _mm_loadu_ps(r + x), green = _mm_loadu_ps(g + x), blue = _mm_loadu_ps(b + x);
    const __m128 rg01 = _mm_unpacklo_ps(red, green), rg23 = _mm_unpackhi_ps(red, green);
    const __m128 br01 = _mm_unpacklo_ps(blue, red), br23 = _mm_unpackhi_ps(blue, red);
    const __m128 gb01 = _mm_unpacklo_ps(green, blue), gb23 = _mm_unpackhi_ps(green, blue);
    _mm_storeu_ps(to, _mm_shuffle_ps(rg01, br01, _MM_SHUFFLE(3, 0, 1, 0)));
    _mm_storeu_ps(to + 4, _mm_shuffle_ps(gb01, rg23, _MM_SHUFFLE(1, 0, 3, 2)));
    _mm_storeu_ps(to + 8, _mm_shuffle_ps(br23, gb23, _MM_SHUFFLE(3, 2, 3, 0)));
  }
  return x;
}

template <typename To, typename From>
void copy_row(const TensorView& x, const From* from, int64_t width, int64_t pixel_channels, To* to) {
  const int64_t channels = x.dim(1), c_stride = x.stride(1), x_stride = x.stride(3);
  int64_t done = 0;
  if constexpr (sizeof(To) == 4 && sizeof(From) == 4)
    if (channels == 3 && x_stride == 1) done = interleave_planes(from, from + c_stride, from + 2 * c_stride, width, to);
  interleave(from, c_stride, x_stride, channels, pixel_channels, done, width, to);
}

}  // namespace

void InterleavedRows::copy(int64_t n, int64_t y, std::byte* row) const noexcept {
  if (y < 0 || y >= x.dim(2)) {
    std::memset(row, 0, static_cast<size_t>(row_bytes()));
    return;
  }
  const int64_t pixel = channels * size_of(dtype), width = std::clamp<int64_t>(columns - pad_left, 0, x.dim(3));
  const int64_t left = std::min(pad_left, columns), right = columns - left - width;
  std::memset(row, 0, static_cast<size_t>(left * pixel));
  std::memset(row + (left + width) * pixel, 0, static_cast<size_t>(right * pixel));
  std::byte* to = row + left * pixel;
  const int64_t at = n * x.stride(0) + y * x.stride(2);
  const bool from_f32 = x.dtype == DType::f32, to_f32 = dtype == DType::f32;
  if (x.dtype == dtype && x.dim(1) == channels && x.stride(1) == 1 && x.stride(3) == channels) {
    std::memcpy(to, x.as<const std::byte>() + at * size_of(dtype), static_cast<size_t>(width * pixel));
    return;
  }
  if (from_f32 && to_f32) copy_row(x, x.as<const float>() + at, width, channels, reinterpret_cast<float*>(to));
  if (from_f32 && !to_f32 && interleave_planes && x.dim(1) == 3 && x.stride(3) == 1) {
    const float* first = x.as<const float>() + at;
    const float* const planes[3] = {first, first + x.stride(1), first + 2 * x.stride(1)};
    return interleave_planes(planes, width, channels, reinterpret_cast<uint16_t*>(to));
  }
  if (channels != x.dim(1)) std::memset(to, 0, static_cast<size_t>(width * pixel));
  if (from_f32 && !to_f32) copy_row(x, x.as<const float>() + at, width, channels, reinterpret_cast<uint16_t*>(to));
  if (!from_f32 && !to_f32) copy_row(x, x.as<const uint16_t>() + at, width, channels, reinterpret_cast<uint16_t*>(to));
}

}  // namespace memline::cpu

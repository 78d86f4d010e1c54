// Rows that lie side by side are copied; columns that do (attention's transposed keys) are transposed four by four. A
// pair of bf16 is one 32-bit word there, so both element types share that loop.
#include "cpu/gemm/panel.h"

#include <immintrin.h>

#include <cstring>

namespace memline::cpu {
namespace {

struct Matrix {
  const std::byte* first;      // of the block's columns
  int64_t k_stride, n_stride;  // in bytes
  int64_t depth, padded_depth, columns, width;
};

float scaled(float x, float alpha) { return alpha * x; }
uint16_t scaled(uint16_t x, float alpha) { return alpha == 1 ? x : f32_to_bf16(alpha * bf16_to_f32(x)); }

// Any strides, rows [k0, padded_depth).
template <typename T, int kPair>
void pack_elements(const Matrix& m, int64_t k0, float alpha, T* panel) {
  for (int64_t k = k0; k < m.padded_depth; ++k) {
    T* row = panel + k / kPair * kPair * m.width + k % kPair;
    const int64_t known = k < m.depth ? m.columns : 0;
    const std::byte* from = m.first + k * m.k_stride;
    for (int64_t n = 0; n < known; ++n)
      row[n * kPair] = scaled(*reinterpret_cast<const T*>(from + n * m.n_stride), alpha);
    for (int64_t n = known; n < m.width; ++n) row[n * kPair] = T{};
  }
}

void copy_rows(const Matrix& m, float* panel) {
  for (int64_t k = 0; k < m.depth; ++k, panel += m.width) {
    std::memcpy(panel, m.first + k * m.k_stride, static_cast<size_t>(m.columns) * sizeof(float));
    std::memset(panel + m.columns, 0, static_cast<size_t>(m.width - m.columns) * sizeof(float));
  }
}

// Columns are sequences of 32-bit words; packs the first words / 4 * 4 of each and returns that number.
int64_t transpose_words(const Matrix& m, int64_t words, float* panel) {
  const int64_t whole = words / 4 * 4;
  for (int64_t n = 0; n < m.width; n += 4) {
    const std::byte* column[4];
    for (int64_t i = 0; i < 4; ++i) column[i] = n + i < m.columns ? m.first + (n + i) * m.n_stride : nullptr;
    for (int64_t w = 0; w < whole; w += 4) {
      __m128 rows[4];
      for (int i = 0; i < 4; ++i)
        rows[i] = column[i] ? _mm_loadu_ps(reinterpret_cast<const float*>(column[i]) + w) : _mm_setzero_ps();
      _MM_TRANSPOSE4_PS(rows[0], rows[1], rows[2], rows[3]);
      for (int i = 0; i < 4; ++i) _mm_storeu_ps(panel + (w + i) * m.width + n, rows[i]);
    }
  }
  return whole;
}

}  // namespace

void pack_panel(const TensorView& b, int64_t at, const PackedShape& shape, int64_t block, float alpha,
                std::byte* panel) noexcept {
  const int64_t size = shape.element_bytes(), n_stride = b.stride(b.rank - 1) * size;
  const Matrix m{.first = b.as<const std::byte>() + at * size + shape.blocks.first_channel(block) * n_stride,
                 .k_stride = b.stride(b.rank - 2) * size,
                 .n_stride = n_stride,
                 .depth = shape.depth,
                 .padded_depth = shape.padded_depth(),
                 .columns = shape.blocks.channels(block),
                 .width = shape.blocks.width(block)};
  auto* words = reinterpret_cast<float*>(panel);
  const bool columns_dense = m.k_stride == size && alpha == 1;
  if (shape.pair == 1) {
    if (m.n_stride == size && alpha == 1) return copy_rows(m, words);
    const int64_t done = columns_dense ? transpose_words(m, m.depth, words) : 0;
    pack_elements<float, 1>(m, done, alpha, words);
  } else {
    const int64_t done = columns_dense ? transpose_words(m, m.depth / 2, words) : 0;
    pack_elements<uint16_t, 2>(m, 2 * done, alpha, reinterpret_cast<uint16_t*>(panel));
  }
}

}  // namespace memline::cpu

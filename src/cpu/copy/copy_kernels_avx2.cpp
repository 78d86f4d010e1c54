// Rows, 8x8 transpositions and strided loops of the copy. Every width up to 32 bits goes through the same 8x8 network
// of 32-bit lanes: 8- and 16-bit elements are widened when loaded and packed when stored, 16-bit floats converted at
// that place. Moves bits: NaNs keep their payload unless the dtype changes. Tiles that are no multiple of 8 end in
// scalar loops.
#include <immintrin.h>

#include <cstring>

#include "cpu/copy/copy_kernels.h"

namespace memline::cpu {
namespace {

template <typename T>
struct Raw {
  using Element = T;
  static __m256i load8(const T* p) {
    if constexpr (sizeof(T) == 1)
      return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    else if constexpr (sizeof(T) == 2)
      return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    else
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static void store8(T* p, __m256i v) {
    if constexpr (sizeof(T) == 4) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v);
    } else {
      const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
      if constexpr (sizeof(T) == 2)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(p), words);
      else
        _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(words, words));
    }
  }
  static T load1(const T* p) { return *p; }
  static void store1(T* p, T v) { *p = v; }
};

struct F32 {
  using Element = uint32_t;
  static __m256i load8(const uint32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static void store8(uint32_t* p, __m256i v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  static uint32_t load1(const uint32_t* p) { return *p; }
  static void store1(uint32_t* p, uint32_t v) { *p = v; }
};

struct Bf16 {
  using Element = uint16_t;
  static __m256i load8(const uint16_t* p) { return _mm256_slli_epi32(Raw<uint16_t>::load8(p), 16); }
  static void store8(uint16_t* p, __m256i v) {
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(v, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(v, _mm256_set1_epi32(0x7fff)), odd);
    const __m256 is_nan = _mm256_cmp_ps(_mm256_castsi256_ps(v), _mm256_castsi256_ps(v), _CMP_UNORD_Q);
    const __m256i quiet = _mm256_or_si256(v, _mm256_set1_epi32(0x400000));
    Raw<uint16_t>::store8(p, _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, _mm256_castps_si256(is_nan)), 16));
  }
  static uint32_t load1(const uint16_t* p) { return static_cast<uint32_t>(*p) << 16; }
  static void store1(uint16_t* p, uint32_t v) {
    const bool is_nan = (v & 0x7fffffffu) > 0x7f800000u;
    *p = static_cast<uint16_t>(is_nan ? (v >> 16) | 0x40u : (v + 0x7fffu + ((v >> 16) & 1u)) >> 16);
  }
};

struct F16 {
  using Element = uint16_t;
  static __m256i load8(const uint16_t* p) {
    return _mm256_castps_si256(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  static void store8(uint16_t* p, __m256i v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                     _mm256_cvtps_ph(_mm256_castsi256_ps(v), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
  static uint32_t load1(const uint16_t* p) {
    return static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_castps_si128(_mm_cvtph_ps(_mm_cvtsi32_si128(*p)))));
  }
  static void store1(uint16_t* p, uint32_t v) {
    const __m128 x = _mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int>(v)));
    *p = static_cast<uint16_t>(_mm_cvtsi128_si32(_mm_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)));
  }
};

void transpose8(__m256i (&r)[8]) {
  __m256 t[8];
  for (int i = 0; i < 4; ++i) {
    const __m256 a = _mm256_castsi256_ps(r[2 * i]), b = _mm256_castsi256_ps(r[2 * i + 1]);
    t[2 * i] = _mm256_unpacklo_ps(a, b);
    t[2 * i + 1] = _mm256_unpackhi_ps(a, b);
  }
  __m256 s[8];
  for (int i = 0; i < 2; ++i) {
    const __m256* p = t + 4 * i;
    s[4 * i] = _mm256_shuffle_ps(p[0], p[2], 0x44);
    s[4 * i + 1] = _mm256_shuffle_ps(p[0], p[2], 0xee);
    s[4 * i + 2] = _mm256_shuffle_ps(p[1], p[3], 0x44);
    s[4 * i + 3] = _mm256_shuffle_ps(p[1], p[3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm256_castps_si256(_mm256_permute2f128_ps(s[i], s[i + 4], 0x20));
    r[i + 4] = _mm256_castps_si256(_mm256_permute2f128_ps(s[i], s[i + 4], 0x31));
  }
}

template <typename In, typename Out>
void row(const std::byte* in, std::byte* out, int64_t n) {
  using I = typename In::Element;
  using O = typename Out::Element;
  if constexpr (std::is_same_v<In, Out>) {
    std::memcpy(out, in, static_cast<size_t>(n) * sizeof(I));
  } else {
    const auto* from = reinterpret_cast<const I*>(in);
    auto* to = reinterpret_cast<O*>(out);
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) Out::store8(to + i, In::load8(from + i));
    for (; i < n; ++i) Out::store1(to + i, In::load1(from + i));
  }
}

template <typename In, typename Out>
void strided(const std::byte* in, int64_t in_stride, std::byte* out, int64_t out_stride, int64_t n) {
  const auto* from = reinterpret_cast<const typename In::Element*>(in);
  auto* to = reinterpret_cast<typename Out::Element*>(out);
  for (int64_t i = 0; i < n; ++i) Out::store1(to + i * out_stride, In::load1(from + i * in_stride));
}

template <typename In, typename Out>
void tile8(const typename In::Element* in, int64_t in_stride_b, typename Out::Element* out, int64_t out_stride_a) {
  __m256i r[8];
  for (int b = 0; b < 8; ++b) r[b] = In::load8(in + b * in_stride_b);
  transpose8(r);
  for (int a = 0; a < 8; ++a) Out::store8(out + a * out_stride_a, r[a]);
}

template <typename In, typename Out>
void tile_scalar(const typename In::Element* in, int64_t in_stride_b, typename Out::Element* out, int64_t out_stride_a,
                 int64_t na, int64_t nb) {
  for (int64_t a = 0; a < na; ++a)
    for (int64_t b = 0; b < nb; ++b) Out::store1(out + a * out_stride_a + b, In::load1(in + b * in_stride_b + a));
}

// Whole 8x8 tiles first; the axis whose steps are the farther apart goes outside, so that the inner one uses up cache
// lines.
template <typename In, typename Out>
void tile(const std::byte* in_bytes, int64_t in_stride_b, std::byte* out_bytes, int64_t out_stride_a, int64_t na,
          int64_t nb) {
  const auto* in = reinterpret_cast<const typename In::Element*>(in_bytes);
  auto* out = reinterpret_cast<typename Out::Element*>(out_bytes);
  int64_t whole_a = 0, whole_b = 0;
  if constexpr (sizeof(*in) <= 4) {
    whole_a = na & ~int64_t{7};
    whole_b = nb & ~int64_t{7};
    if (in_stride_b > out_stride_a) {
      for (int64_t b = 0; b < whole_b; b += 8)
        for (int64_t a = 0; a < whole_a; a += 8)
          tile8<In, Out>(in + b * in_stride_b + a, in_stride_b, out + a * out_stride_a + b, out_stride_a);
    } else {
      for (int64_t a = 0; a < whole_a; a += 8)
        for (int64_t b = 0; b < whole_b; b += 8)
          tile8<In, Out>(in + b * in_stride_b + a, in_stride_b, out + a * out_stride_a + b, out_stride_a);
    }
  }
  tile_scalar<In, Out>(in + whole_a, in_stride_b, out + whole_a * out_stride_a, out_stride_a, na - whole_a, whole_b);
  tile_scalar<In, Out>(in + whole_b * in_stride_b, in_stride_b, out + whole_b, out_stride_a, na, nb - whole_b);
}

template <typename In, typename Out>
CopyKernels kernels() {
  return {row<In, Out>, tile<In, Out>, strided<In, Out>};
}

}  // namespace

CopyKernels copy_kernels_avx2(DType in, DType out) {
  if (in == out) {
    switch (size_of(in)) {
      case 1:
        return kernels<Raw<uint8_t>, Raw<uint8_t>>();
      case 2:
        return kernels<Raw<uint16_t>, Raw<uint16_t>>();
      case 4:
        return kernels<Raw<uint32_t>, Raw<uint32_t>>();
      default:
        return kernels<Raw<uint64_t>, Raw<uint64_t>>();
    }
  }
  if (in == DType::f32 && out == DType::bf16) return kernels<F32, Bf16>();
  if (in == DType::bf16 && out == DType::f32) return kernels<Bf16, F32>();
  if (in == DType::f32 && out == DType::f16) return kernels<F32, F16>();
  if (in == DType::f16 && out == DType::f32) return kernels<F16, F32>();
  return {};
}

}  // namespace memline::cpu

// Vec: kLanes floats in one register of the level (8 on AVX2, 16 from AVX-512 on), and the operations kernels are
// written in. load_first/store_first touch exactly the first n elements of memory (0 <= n <= kLanes) and no byte
// beyond; the other lanes load as 0. min and max give their second operand when either is NaN, so min(limit, x) keeps a
// NaN in x.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "cpu/simd/level.h"

namespace memline::cpu::MEML_LEVEL {

#if defined(__AVX512F__)

using Vec = __m512;
using Mask = __mmask16;
constexpr int kLanes = 16;

MEML_INLINE Vec zero() { return _mm512_setzero_ps(); }
MEML_INLINE Vec set1(float x) { return _mm512_set1_ps(x); }
MEML_INLINE Vec load(const float* p) { return _mm512_loadu_ps(p); }
MEML_INLINE void store(float* p, Vec x) { _mm512_storeu_ps(p, x); }
MEML_INLINE Mask first(int n) { return static_cast<Mask>((1u << n) - 1u); }
MEML_INLINE Vec load_first(const float* p, int n) { return _mm512_maskz_loadu_ps(first(n), p); }
MEML_INLINE void store_first(float* p, Vec x, int n) { _mm512_mask_storeu_ps(p, first(n), x); }

MEML_INLINE Vec add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
MEML_INLINE Vec sub(Vec a, Vec b) { return _mm512_sub_ps(a, b); }
MEML_INLINE Vec mul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
MEML_INLINE Vec div(Vec a, Vec b) { return _mm512_div_ps(a, b); }
MEML_INLINE Vec sqrt(Vec a) { return _mm512_sqrt_ps(a); }
MEML_INLINE Vec min(Vec a, Vec b) { return _mm512_min_ps(a, b); }
MEML_INLINE Vec max(Vec a, Vec b) { return _mm512_max_ps(a, b); }
MEML_INLINE Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }    // a*b + c
MEML_INLINE Vec fnma(Vec a, Vec b, Vec c) { return _mm512_fnmadd_ps(a, b, c); }  // c - a*b
MEML_INLINE Vec round(Vec a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
MEML_INLINE Vec floor(Vec a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
MEML_INLINE Vec ceil(Vec a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
MEML_INLINE Vec abs(Vec a) { return _mm512_abs_ps(a); }
MEML_INLINE Vec copy_sign(Vec magnitude, Vec sign) {
  const __m512i bit = _mm512_set1_epi32(INT32_MIN);
  return _mm512_castsi512_ps(
      _mm512_ternarylogic_epi32(bit, _mm512_castps_si512(sign), _mm512_castps_si512(magnitude), 0xca));
}
MEML_INLINE Vec scale_by_power_of_two(Vec a, Vec n) { return _mm512_scalef_ps(a, n); }  // n integral
MEML_INLINE Mask less(Vec a, Vec b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
MEML_INLINE Vec select(Mask m, Vec when_true, Vec when_false) { return _mm512_mask_blend_ps(m, when_false, when_true); }
MEML_INLINE float sum_of_lanes(Vec a) { return _mm512_reduce_add_ps(a); }
MEML_INLINE float max_of_lanes(Vec a) { return _mm512_reduce_max_ps(a); }

using Half = __m256i;  // kLanes 16-bit elements
MEML_INLINE Half load_half(const uint16_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
MEML_INLINE void store_half(uint16_t* p, Half x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
MEML_INLINE Half load_half_first(const uint16_t* p, int n) { return _mm256_maskz_loadu_epi16(first(n), p); }
MEML_INLINE void store_half_first(uint16_t* p, Half x, int n) { _mm256_mask_storeu_epi16(p, first(n), x); }
MEML_INLINE Vec from_bf16(Half x) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16)); }
#if defined(__AVX512BF16__)
MEML_INLINE Half to_bf16(Vec x) { return reinterpret_cast<Half>(_mm512_cvtneps_pbh(x)); }
#else
MEML_INLINE Half to_bf16(Vec x) {  // nearest, ties to even; a NaN stays one
  const __m512i bits = _mm512_castps_si512(x);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
  const Mask is_nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  const __m512i kept = _mm512_mask_or_epi32(rounded, is_nan, bits, _mm512_set1_epi32(0x400000));
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(kept, 16));
}
#endif

#else  // AVX2

using Vec = __m256;
using Mask = __m256;
constexpr int kLanes = 8;

MEML_INLINE Vec zero() { return _mm256_setzero_ps(); }
MEML_INLINE Vec set1(float x) { return _mm256_set1_ps(x); }
MEML_INLINE Vec load(const float* p) { return _mm256_loadu_ps(p); }
MEML_INLINE void store(float* p, Vec x) { _mm256_storeu_ps(p, x); }
MEML_INLINE __m256i first(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
MEML_INLINE Vec load_first(const float* p, int n) { return _mm256_maskload_ps(p, first(n)); }
// In pieces: a masked store costs some twenty cycles on AMD.
MEML_INLINE void store_first(float* p, Vec x, int n) {
  if (n >= kLanes) return _mm256_storeu_ps(p, x);
  __m128 part = _mm256_castps256_ps128(x);
  if (n & 4) {
    _mm_storeu_ps(p, part);
    part = _mm256_extractf128_ps(x, 1);
    p += 4;
  }
  if (n & 2) {
    _mm_storel_pi(reinterpret_cast<__m64*>(p), part);
    part = _mm_movehl_ps(part, part);
    p += 2;
  }
  if (n & 1) _mm_store_ss(p, part);
}

MEML_INLINE Vec add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
MEML_INLINE Vec sub(Vec a, Vec b) { return _mm256_sub_ps(a, b); }
MEML_INLINE Vec mul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
MEML_INLINE Vec div(Vec a, Vec b) { return _mm256_div_ps(a, b); }
MEML_INLINE Vec sqrt(Vec a) { return _mm256_sqrt_ps(a); }
MEML_INLINE Vec min(Vec a, Vec b) { return _mm256_min_ps(a, b); }
MEML_INLINE Vec max(Vec a, Vec b) { return _mm256_max_ps(a, b); }
MEML_INLINE Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }    // a*b + c
MEML_INLINE Vec fnma(Vec a, Vec b, Vec c) { return _mm256_fnmadd_ps(a, b, c); }  // c - a*b
MEML_INLINE Vec round(Vec a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
MEML_INLINE Vec floor(Vec a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
MEML_INLINE Vec ceil(Vec a) { return _mm256_round_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
MEML_INLINE Vec abs(Vec a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
MEML_INLINE Vec copy_sign(Vec magnitude, Vec sign) {
  const Vec bit = _mm256_set1_ps(-0.0f);
  return _mm256_or_ps(_mm256_and_ps(bit, sign), _mm256_andnot_ps(bit, magnitude));
}
// n integral; exact for 2^-126 <= 2^n <= 2^127.
MEML_INLINE Vec scale_by_power_of_two(Vec a, Vec n) {
  const __m256i exponent = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
  return _mm256_mul_ps(a, _mm256_castsi256_ps(exponent));
}
MEML_INLINE Mask less(Vec a, Vec b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
MEML_INLINE Vec select(Mask m, Vec when_true, Vec when_false) { return _mm256_blendv_ps(when_false, when_true, m); }
MEML_INLINE float sum_of_lanes(Vec a) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}
MEML_INLINE float max_of_lanes(Vec a) {
  __m128 s = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  s = _mm_max_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_max_ss(s, _mm_shuffle_ps(s, s, 1)));
}

using Half = __m128i;  // kLanes 16-bit elements
MEML_INLINE Half load_half(const uint16_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
MEML_INLINE void store_half(uint16_t* p, Half x) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x); }
MEML_INLINE Half load_half_first(const uint16_t* p, int n) {
  alignas(16) uint16_t lanes[8] = {};
  for (int i = 0; i < n; ++i) lanes[i] = p[i];
  return _mm_load_si128(reinterpret_cast<const __m128i*>(lanes));
}
MEML_INLINE void store_half_first(uint16_t* p, Half x, int n) {
  alignas(16) uint16_t lanes[8];
  _mm_store_si128(reinterpret_cast<__m128i*>(lanes), x);
  for (int i = 0; i < n; ++i) p[i] = lanes[i];
}
MEML_INLINE Vec from_bf16(Half x) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16)); }
MEML_INLINE Half to_bf16(Vec x) {  // nearest, ties to even; a NaN stays one
  const __m256i bits = _mm256_castps_si256(x);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  const __m256i high = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, is_nan), 16);
  return _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1));
}

#endif

// One element type as seen by kernels that compute in f32: load and store by kind of memory.
MEML_INLINE Vec load(const uint16_t* bf16) { return from_bf16(load_half(bf16)); }
MEML_INLINE void store(uint16_t* bf16, Vec x) { store_half(bf16, to_bf16(x)); }
MEML_INLINE Vec load_first(const uint16_t* bf16, int n) { return from_bf16(load_half_first(bf16, n)); }
MEML_INLINE void store_first(uint16_t* bf16, Vec x, int n) { store_half_first(bf16, to_bf16(x), n); }

}  // namespace memline::cpu::MEML_LEVEL

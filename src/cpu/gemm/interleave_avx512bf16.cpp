// Sixteen pixels of three planes at a time: two conversions, then every 16-bit word to its place.
#include "cpu/gemm/strip.h"
#include "cpu/simd/vec.h"

namespace memline::cpu::MEML_LEVEL {

// Where a word comes from: 0-15 are reds, 16-31 greens, 32-47 blues, 48 a zero.
alignas(64) static const uint16_t kThree[64] = {0,  16, 32, 1,  17, 33, 2,  18, 34, 3,  19, 35, 4,  20, 36, 5,
                                                21, 37, 6,  22, 38, 7,  23, 39, 8,  24, 40, 9,  25, 41, 10, 26,
                                                42, 11, 27, 43, 12, 28, 44, 13, 29, 45, 14, 30, 46, 15, 31, 47};
alignas(64) static const uint16_t kFour[64] = {0,  16, 32, 48, 1,  17, 33, 48, 2,  18, 34, 48, 3,  19, 35, 48,
                                               4,  20, 36, 48, 5,  21, 37, 48, 6,  22, 38, 48, 7,  23, 39, 48,
                                               8,  24, 40, 48, 9,  25, 41, 48, 10, 26, 42, 48, 11, 27, 43, 48,
                                               12, 28, 44, 48, 13, 29, 45, 48, 14, 30, 46, 48, 15, 31, 47, 48};

// `words` of mask are stored at `to`: bit i is word i.
MEML_INLINE void store_words(uint16_t* to, uint64_t words, __m512i red_green, __m512i blue, const uint16_t* places) {
  _mm512_mask_storeu_epi16(to, static_cast<__mmask32>(words),
                           _mm512_permutex2var_epi16(red_green, _mm512_load_si512(places), blue));
  _mm512_mask_storeu_epi16(to + 32, static_cast<__mmask32>(words >> 32),
                           _mm512_permutex2var_epi16(red_green, _mm512_load_si512(places + 32), blue));
}

void interleave_planes_to_bf16(const float* const planes[3], int64_t pixels, int64_t channels, uint16_t* to) {
  const uint16_t* const places = channels == 3 ? kThree : kFour;
  for (int64_t x = 0; x < pixels; x += kLanes, to += channels * kLanes) {
    const int n = pixels - x < kLanes ? static_cast<int>(pixels - x) : kLanes;
    Vec color[3];
    for (int c = 0; c < 3; ++c) color[c] = load_first(planes[c] + x, n);
    const __m512i red_green = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(color[1], color[0]));
    const __m512i blue = _mm512_zextsi256_si512(to_bf16(color[2]));
    const int words = static_cast<int>(channels) * n;
    store_words(to, words == 64 ? ~uint64_t{0} : (uint64_t{1} << words) - 1, red_green, blue, places);
  }
}

}  // namespace memline::cpu::MEML_LEVEL

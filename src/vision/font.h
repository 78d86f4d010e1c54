// A bitmap font of 5 x 7 pixels for ASCII 32 to 126, drawn for this project. One number a row, the leftmost pixel in
// bit 4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace memline::vision {

inline constexpr int64_t kGlyphWidth = 5;
inline constexpr int64_t kGlyphHeight = 7;
using Glyph = std::array<uint8_t, kGlyphHeight>;

// A hollow box for what the font does not have.
const Glyph& glyph_of(char c);

}  // namespace memline::vision

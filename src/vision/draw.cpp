#include "vision/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vision/font.h"
#include "vision/mask_runs.h"

namespace memline::vision {
namespace {

constexpr int64_t kCellWidth = kGlyphWidth + 1;
constexpr int64_t kCellHeight = kGlyphHeight + 2;

void fill(const PictureView& picture, int64_t x0, int64_t y0, int64_t x1, int64_t y1, Color color) {
  x0 = std::max<int64_t>(x0, 0);
  x1 = std::min(x1, picture.width);
  for (int64_t y = std::max<int64_t>(y0, 0); y < std::min(y1, picture.height); ++y) {
    for (int64_t x = x0; x < x1; ++x) {
      uint8_t* p = picture.at(x, y);
      p[0] = color.r;
      p[1] = color.g;
      p[2] = color.b;
    }
  }
}

// Saturated colours: each of `hue` 0..6 lies between two corners of the colour circle.
Color from_hue(float hue, float value) {
  const auto channel = [&](float shift) {
    const float k = std::fmod(shift + hue, 6.0f);
    const float dip = std::clamp(std::min(k, 4 - k), 0.0f, 1.0f);
    return static_cast<uint8_t>(std::lround(255 * value * (1 - 0.85f * dip)));
  };
  return {channel(5), channel(3), channel(1)};
}

// Black or white, whichever reads better on `ground` (luma of BT.601).
Color ink_on(Color ground) {
  const int luma = 299 * ground.r + 587 * ground.g + 114 * ground.b;
  return luma > 140'000 ? Color{0, 0, 0} : Color{255, 255, 255};
}

void draw_glyph(const PictureView& picture, int64_t x, int64_t y, char c, Color ink, int64_t scale) {
  const Glyph& glyph = glyph_of(c);
  for (int64_t row = 0; row < kGlyphHeight; ++row) {
    for (int64_t column = 0; column < kGlyphWidth; ++column) {
      if ((glyph[static_cast<size_t>(row)] >> (kGlyphWidth - 1 - column) & 1) == 0) continue;
      fill(picture, x + column * scale, y + row * scale, x + (column + 1) * scale, y + (row + 1) * scale, ink);
    }
  }
}

int64_t pixel(float v) { return std::lround(v); }

// Above the box, or inside it where there is no room above; never outside the picture's right side if it fits.
void draw_label(const PictureView& picture, const Detection& d, std::string_view text, Color color, int64_t scale) {
  const int64_t width = (static_cast<int64_t>(text.size()) * kCellWidth + 1) * scale;
  const int64_t x = std::clamp<int64_t>(pixel(d.x0), 0, std::max<int64_t>(0, picture.width - width));
  const int64_t above = pixel(d.y0) - kCellHeight * scale;
  draw_text(picture, x, above >= 0 ? above : pixel(d.y0), text, color, scale);
}

}  // namespace

Color color_of(int64_t number) {
  constexpr double kGoldenRatio = 0.61803398875;
  const double turn = std::fmod(0.02 + kGoldenRatio * static_cast<double>(number), 1.0);
  return from_hue(static_cast<float>(6 * (turn < 0 ? turn + 1 : turn)), number % 2 == 0 ? 1.0f : 0.8f);
}

void draw_mask(const PictureView& picture, const MaskRuns& mask, Color color, float opacity_0to1) {
  const int alpha = static_cast<int>(std::lround(256 * std::clamp(opacity_0to1, 0.0f, 1.0f)));
  const int add[3] = {alpha * color.r + 128, alpha * color.g + 128, alpha * color.b + 128};
  for_each_stretch(mask, [&](int64_t y, int64_t x0, int64_t x1) {
    if (y < 0 || y >= picture.height) return;
    for (int64_t x = std::max<int64_t>(x0, 0); x < std::min(x1, picture.width); ++x) {
      uint8_t* p = picture.at(x, y);
      for (int c = 0; c < 3; ++c) p[c] = static_cast<uint8_t>(((256 - alpha) * p[c] + add[c]) >> 8);
    }
  });
}

void draw_box(const PictureView& picture, const Detection& box, Color color, int64_t thickness) {
  const int64_t x0 = pixel(box.x0), y0 = pixel(box.y0), x1 = pixel(box.x1), y1 = pixel(box.y1);
  fill(picture, x0, y0, x1, std::min(y0 + thickness, y1), color);
  fill(picture, x0, std::max(y1 - thickness, y0), x1, y1, color);
  fill(picture, x0, y0, std::min(x0 + thickness, x1), y1, color);
  fill(picture, std::max(x1 - thickness, x0), y0, x1, y1, color);
}

void draw_text(const PictureView& picture, int64_t x, int64_t y, std::string_view text, Color ground, int64_t scale) {
  const auto characters = static_cast<int64_t>(text.size());
  fill(picture, x, y, x + (characters * kCellWidth + 1) * scale, y + kCellHeight * scale, ground);
  for (int64_t i = 0; i < characters; ++i) {
    draw_glyph(picture, x + (i * kCellWidth + 1) * scale, y + scale, text[static_cast<size_t>(i)], ink_on(ground),
               scale);
  }
}

void draw(const PictureView& picture, std::span<const Detection> detections, std::span<const std::string> class_names,
          const DrawOptions& options) {
  const int64_t scale = std::max<int64_t>(1, std::min(picture.width, picture.height) / 500);
  const auto color = [](const Detection& d) { return color_of(d.track_id >= 0 ? d.track_id : d.class_id); };
  for (const Detection& d : detections) draw_mask(picture, d.mask, color(d), options.mask_opacity_0to1);
  for (const Detection& d : detections) {
    if (options.boxes) draw_box(picture, d, color(d), 2 * scale);
    if (!options.labels) continue;
    const std::string track = d.track_id >= 0 ? fmt::format("#{} ", d.track_id) : std::string();
    draw_label(picture, d, fmt::format("{}{} {:.2f}", track, class_name(class_names, d.class_id), d.score_0to1),
               color(d), scale);
  }
}

}  // namespace memline::vision

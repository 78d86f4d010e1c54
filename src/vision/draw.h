// Draws detections into a picture in place: a translucent mask, a box, a label with class, score and track. Everything
// is cut to the picture; nothing is allocated but a label's text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vision/detection.h"
#include "vision/picture.h"

namespace memline::vision {

struct Color {
  uint8_t r = 0;
  uint8_t g = 0;
  uint8_t b = 0;
  bool operator==(const Color&) const = default;
};

// The same colour for the same number, neighbours far apart.
Color color_of(int64_t number);

struct DrawOptions {
  float mask_opacity_0to1 = 0.45f;
  bool boxes = true;
  bool labels = true;
};

// The colour follows the track where there is one, else the class.
void draw(const PictureView& picture, std::span<const Detection> detections, std::span<const std::string> class_names,
          const DrawOptions& options = {});

// The parts, for other drawings.
void draw_mask(const PictureView& picture, const MaskRuns& mask, Color color, float opacity_0to1);
void draw_box(const PictureView& picture, const Detection& box, Color color, int64_t thickness);
// ASCII text in cells of 6 x 9 pixels times `scale`, on a filled ground; other characters show as a box.
void draw_text(const PictureView& picture, int64_t x, int64_t y, std::string_view text, Color ground, int64_t scale);

}  // namespace memline::vision

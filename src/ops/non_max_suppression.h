// NonMaxSuppression's attributes, and when one box suppresses another.
#pragma once

#include <algorithm>

#include "ops/op.h"

namespace memline::ops {

struct NonMaxSuppressionAttrs {
  bool center_point_box =
      false;  // boxes are x_center y_center width height; otherwise two corners of any diagonal, y before x

  void fields(auto&& field) { field("center_point_box", center_point_box); }
};

// Corners in order.
struct NmsBox {
  float x0, y0, x1, y1;

  static NmsBox of(const NonMaxSuppressionAttrs& attrs, float a, float b, float c, float d) {
    if (attrs.center_point_box) return {a - c / 2, b - d / 2, a + c / 2, b + d / 2};
    return {std::min(b, d), std::min(a, c), std::max(b, d), std::max(a, c)};
  }
};

// Intersection over union strictly greater than the threshold, in f32; a box without area suppresses nothing.
inline bool suppresses(const NmsBox& a, const NmsBox& b, float iou_threshold) {
  const float width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0), height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  if (!(width > 0) || !(height > 0)) return false;
  const float intersection = width * height;
  const float area_a = (a.x1 - a.x0) * (a.y1 - a.y0), area_b = (b.x1 - b.x0) * (b.y1 - b.y0);
  const float together = area_a + area_b - intersection;
  if (!(area_a > 0) || !(area_b > 0) || !(together > 0)) return false;
  return intersection / together > iou_threshold;
}

}  // namespace memline::ops

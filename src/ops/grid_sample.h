// GridSample's attributes, and what its positions mean: the reference and the kernels ask the same functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "ops/op.h"

namespace memline::ops {

struct GridSampleAttrs {
  std::string mode = "linear";         // nearest, cubic
  std::string padding_mode = "zeros";  // border, reflection
  bool align_corners = false;          // -1 and 1 are the centres of the outermost pixels rather than their outer edges

  void fields(auto&& field) {
    field("mode", mode);
    field("padding_mode", padding_mode);
    field("align_corners", align_corners);
  }
};

// x mirrored at both borders until it lies between them.
inline double reflect(double x, double low, double high) {
  const double range = high - low;
  if (range <= 0) return low;
  const double from_border = x < low ? low - x : x > high ? x - high : 0;
  if (from_border == 0) return x;
  const double turns = std::trunc(from_border / range), rest = from_border - turns * range;
  const bool from_low = (x < low) == (std::fmod(turns, 2) == 0);
  return from_low ? low + rest : high - rest;
}

// One spatial axis of the input.
struct GridSampleAxis {
  const GridSampleAttrs& attrs;
  int64_t extent;

  double low() const { return attrs.align_corners ? 0 : -0.5; }
  double high() const { return static_cast<double>(extent) - (attrs.align_corners ? 1 : 0.5); }

  // The coordinate in pixels, brought inside as the padding mode wants.
  template <typename C>
  double coordinate(C position) const {
    const auto n = static_cast<C>(extent);
    double x = attrs.align_corners ? (position + 1) / 2 * (n - 1) : ((position + 1) * n - 1) / 2;
    if (attrs.mode == "nearest") x = std::nearbyint(x);
    if (x >= low() && x <= high()) return x;
    if (attrs.padding_mode == "border" && attrs.mode != "cubic")
      return std::clamp(x, 0.0, static_cast<double>(extent - 1));
    if (attrs.padding_mode == "reflection") return reflect(x, low(), high());
    return x;
  }
  // The element an index means, or -1 for zero. Not a number, and what no int64_t holds, is outside.
  int64_t index(double i) const {
    if (i >= 0 && i <= static_cast<double>(extent - 1)) return static_cast<int64_t>(i);
    if (attrs.padding_mode == "zeros" || !std::isfinite(i)) return -1;
    if (attrs.padding_mode == "reflection") i = reflect(i, low(), high());
    return static_cast<int64_t>(std::clamp(i, 0.0, static_cast<double>(extent - 1)));
  }
};

}  // namespace memline::ops

// The geometry that puts a source picture into a network's input: one ratio, centred, the rest padded. Sizes are
// rounded half to even, left and top rounded down (the rule of YOLO exports). Shared by the operators that go there
// and back.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace memline::ops {

struct LetterboxGeometry {
  double ratio = 1;
  int64_t width = 0, height = 0;  // of the scaled picture
  int64_t left = 0, top = 0;
};

inline LetterboxGeometry letterbox_geometry(int64_t source_width, int64_t source_height, int64_t width,
                                            int64_t height) {
  LetterboxGeometry g;
  g.ratio = std::min(static_cast<double>(width) / static_cast<double>(source_width),
                     static_cast<double>(height) / static_cast<double>(source_height));
  g.width = std::max<int64_t>(1, static_cast<int64_t>(std::nearbyint(static_cast<double>(source_width) * g.ratio)));
  g.height = std::max<int64_t>(1, static_cast<int64_t>(std::nearbyint(static_cast<double>(source_height) * g.ratio)));
  g.left = (width - g.width) / 2;
  g.top = (height - g.height) / 2;
  return g;
}

// Half-pixel linear sampling along one axis: the value is near + (far - near) * weight.
struct LinearSample {
  int64_t near = 0, far = 0;
  float weight = 0;
};
inline LinearSample linear_sample(int64_t out, int64_t out_size, int64_t in_size) {
  const double scale = static_cast<double>(in_size) / static_cast<double>(out_size);
  const double at = (static_cast<double>(out) + 0.5) * scale - 0.5;
  const double floor = std::floor(at);
  const auto near = static_cast<int64_t>(floor);
  return {std::clamp<int64_t>(near, 0, in_size - 1), std::clamp<int64_t>(near + 1, 0, in_size - 1),
          static_cast<float>(at - floor)};
}

}  // namespace memline::ops

#include "vision/letterbox.h"

#include <algorithm>
#include <cmath>

namespace memline::vision {

Letterbox letterbox(int64_t source_width, int64_t source_height, int64_t network_width, int64_t network_height) {
  const auto source_w = static_cast<double>(source_width), source_h = static_cast<double>(source_height);
  const double ratio =
      std::min(static_cast<double>(network_width) / source_w, static_cast<double>(network_height) / source_h);
  Letterbox result{source_width, source_height, ratio};
  result.scaled_width = std::max<int64_t>(1, std::llrint(source_w * ratio));
  result.scaled_height = std::max<int64_t>(1, std::llrint(source_h * ratio));
  result.left = (network_width - result.scaled_width) / 2;
  result.top = (network_height - result.scaled_height) / 2;
  return result;
}

Box to_source(const Letterbox& geometry, const Box& box) {
  const auto ratio = static_cast<float>(geometry.ratio);
  const auto x = [&](float v) {
    return std::clamp((v - static_cast<float>(geometry.left)) / ratio, 0.0f, static_cast<float>(geometry.source_width));
  };
  const auto y = [&](float v) {
    return std::clamp((v - static_cast<float>(geometry.top)) / ratio, 0.0f, static_cast<float>(geometry.source_height));
  };
  return {x(box.x0), y(box.y0), x(box.x1), y(box.y1)};
}

}  // namespace memline::vision

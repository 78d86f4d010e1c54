// RoiAlign's attributes, and where its samples lie: the reference and the kernels ask the same functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "ops/op.h"

namespace memline::ops {

struct RoiAlignAttrs {
  std::string mode = "avg";  // max
  std::string coordinate_transformation_mode =
      "half_pixel";  // output_half_pixel: no shift by half a pixel (all there was before 16)
  int64_t output_height = 1, output_width = 1;
  int64_t sampling_ratio = 0;  // samples on each side of a bin; 0: ceil(bin size)
  float spatial_scale = 1;

  void fields(auto&& field) {
    field("mode", mode);
    field("coordinate_transformation_mode", coordinate_transformation_mode);
    field("output_height", output_height);
    field("output_width", output_width);
    field("sampling_ratio", sampling_ratio);
    field("spatial_scale", spatial_scale);
  }
};

// One axis of a region: where its bins begin, their size, and samples a bin.
struct RoiBins {
  double start = 0, size = 1;
  int64_t samples = 0;

  RoiBins(const RoiAlignAttrs& attrs, double first, double last, int64_t bins) {
    const bool half_pixel = attrs.coordinate_transformation_mode == "half_pixel";
    const double scale = attrs.spatial_scale, shift = half_pixel ? 0.5 : 0.0;
    start = first * scale - shift;
    double length = last * scale - shift - start;
    if (!half_pixel) length = std::max(length, 1.0);
    size = length / static_cast<double>(bins);
    samples = attrs.sampling_ratio > 0 ? attrs.sampling_ratio : whole(size);
  }
  // Of a bin: the samples that may lie on a map of `extent`. All others are outside, so that a region of any size has
  // few to look at.
  RowRange on_map(int64_t bin, int64_t extent) const {
    const double first = sample(bin, 0), step = size / static_cast<double>(samples), all = static_cast<double>(samples);
    if (samples == 0 || !std::isfinite(first) || !std::isfinite(step)) return {0, 0};
    if (step == 0) return {0, samples};
    const auto [low, high] = std::minmax({(-1 - first) / step, (static_cast<double>(extent) - first) / step});
    const double begin = std::clamp(std::floor(low) - 1, 0.0, all);  // one more on either side, for rounding
    return {static_cast<int64_t>(begin), static_cast<int64_t>(std::clamp(std::ceil(high) + 2, begin, all))};
  }
  double sample(int64_t bin, int64_t i) const {
    return start + (static_cast<double>(bin) + (static_cast<double>(i) + 0.5) / static_cast<double>(samples)) * size;
  }

 private:
  // Rounded up; 0 for what is not a number, or below.
  static int64_t whole(double x) { return x > 0 ? static_cast<int64_t>(std::min(std::ceil(x), 1e15)) : 0; }
};

// What the sum of a bin's samples is divided by.
inline double samples_of(const RoiBins& rows, const RoiBins& columns) {
  return std::max(static_cast<double>(rows.samples) * static_cast<double>(columns.samples), 1.0);
}

// The two elements around a coordinate, clamped to the map, and the weight of the second.
struct RoiNeighbours {
  int64_t low = 0, high = 0;
  double weight = 0;
  bool outside = false;

  RoiNeighbours(double x, int64_t extent) {
    outside = !(x >= -1 && x <= static_cast<double>(extent)) || extent == 0;
    if (outside) return;
    x = std::max(x, 0.0);
    low = std::min(static_cast<int64_t>(x), extent - 1);
    high = std::min(low + 1, extent - 1);
    weight = high == low ? 0 : x - static_cast<double>(low);
  }
};

}  // namespace memline::ops

// RoiAlign's attributes.
#pragma once

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

}  // namespace memline::ops

// GridSample's attributes.
#pragma once

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

}  // namespace memline::ops

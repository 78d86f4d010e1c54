#pragma once

#include "ops/op.h"

namespace memline::ops {

struct ImageToTensorAttrs {
  int64_t height = 0, width = 0;  // of the network's input
  float pad = 114;                // the value of pixels around the picture, before scaling
  float scale = 1.0f / 255;
  void fields(auto&& field) {
    field("height", height);
    field("width", width);
    field("pad", pad);
    field("scale", scale);
  }
};

}  // namespace memline::ops

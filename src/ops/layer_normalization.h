// LayerNormalization's attributes.
#pragma once

#include "ops/op.h"

namespace memline::ops {

struct LayerNormalizationAttrs {
  int64_t axis = -1;  // the first normalised axis
  float epsilon = 1e-5f;

  void fields(auto&& field) {
    field("axis", axis);
    field("epsilon", epsilon);
  }
};

}  // namespace memline::ops

// InstanceNormalization's attributes.
#pragma once

#include "ops/op.h"

namespace memline::ops {

struct InstanceNormalizationAttrs {
  float epsilon = 1e-5f;

  void fields(auto&& field) { field("epsilon", epsilon); }
};

}  // namespace memline::ops

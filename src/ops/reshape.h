// Attributes of Reshape.
#pragma once

#include "ops/attrs.h"

namespace memline::ops {

struct ReshapeAttrs {
  bool allowzero = false;  // false: a 0 in the shape copies the input's extent; true: it is an extent of 0
  void fields(auto&& field) { field("allowzero", allowzero); }
};

}  // namespace memline::ops

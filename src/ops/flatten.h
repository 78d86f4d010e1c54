// Attributes of Flatten.
#pragma once

#include "ops/attrs.h"

namespace memline::ops {

struct FlattenAttrs {
  int64_t axis = 1;  // in [-rank, rank]
  void fields(auto&& field) { field("axis", axis); }
};

}  // namespace memline::ops

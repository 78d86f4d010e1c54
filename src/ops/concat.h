// Attributes of Concat.
#pragma once

#include "ops/attrs.h"

namespace memline::ops {

struct ConcatAttrs {
  int64_t axis = 0;  // in [-rank, rank); every model gives it
  void fields(auto&& field) { field("axis", axis); }
};

}  // namespace memline::ops

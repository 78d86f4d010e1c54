// Attributes of Shape.
#pragma once

#include <cstdint>
#include <limits>

#include "ops/attrs.h"

namespace memline::ops {

struct ShapeAttrs {
  int64_t start = 0, end = std::numeric_limits<int64_t>::max();  // axes [start, end), negative from the end, clamped
  void fields(auto&& field) { field("start", start), field("end", end); }
};

}  // namespace memline::ops

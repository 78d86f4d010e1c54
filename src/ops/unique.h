// Attributes of Unique.
#pragma once

#include <cstdint>
#include <limits>

#include "ops/attrs.h"

namespace memline::ops {

struct UniqueAttrs {
  static constexpr int64_t kFlat = std::numeric_limits<int64_t>::min();
  int64_t axis = kFlat;  // kFlat: absent, the input is read as one axis
  bool sorted = true;    // false: in the order of first occurrence
  void fields(auto&& field) { field("axis", axis), field("sorted", sorted); }
};

}  // namespace memline::ops

// Attributes of Compress.
#pragma once

#include <cstdint>
#include <limits>

#include "ops/attrs.h"

namespace memline::ops {

struct CompressAttrs {
  static constexpr int64_t kFlat = std::numeric_limits<int64_t>::min();
  int64_t axis = kFlat;  // kFlat: absent, the input is read as one axis
  void fields(auto&& field) { field("axis", axis); }
};

}  // namespace memline::ops

// Attributes of Transpose.
#pragma once

#include <vector>

#include "ops/attrs.h"

namespace memline::ops {

struct TransposeAttrs {
  std::vector<int64_t> perm;  // axis i of the result is axis perm[i] of the input; empty: the axes reversed
  void fields(auto&& field) { field("perm", perm); }
  int source_axis(int axis, int rank) const {
    return static_cast<int>(perm.empty() ? rank - 1 - axis : perm[static_cast<size_t>(axis)]);
  }
};

}  // namespace memline::ops

// Which slots expressions depend on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tensor/dim_expr.h"

namespace memline::engine {

// Adds the slots of `expression` to `slots`, which stays ascending with each slot once.
inline void add_slots(const DimExpr& expression, std::vector<int32_t>& slots) {
  if (expression.is_constant()) return;
  std::vector<int32_t> more;
  expression.collect_slots(more);
  slots.insert(slots.end(), more.begin(), more.end());
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
}

}  // namespace memline::engine

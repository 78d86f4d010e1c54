// Select: where the branches of an If meet. What makes only one of its values runs only where that one is taken: see
// graph/guards.h.
#pragma once

#include "ops/op.h"

namespace memline::ops {

inline constexpr size_t kSelectCondition = 0, kSelectThen = 1, kSelectElse = 2;  // its inputs

bool is_select(const OpDef& op);

}  // namespace memline::ops

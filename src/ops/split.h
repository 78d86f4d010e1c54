// Attributes of Split.
#pragma once

#include "ops/attrs.h"

namespace memline::ops {

struct SplitAttrs {
  int64_t axis = 0;
  bool ragged = false;  // opset 18: without sizes the last parts may be smaller; before, the extent has to divide
  void fields(auto&& field) { field("axis", axis), field("ragged", ragged); }
};

}  // namespace memline::ops

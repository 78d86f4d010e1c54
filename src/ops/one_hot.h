// Attributes of OneHot.
#pragma once

#include "ops/attrs.h"

namespace memline::ops {

struct OneHotAttrs {
  int64_t axis = -1;  // where the new axis stands in the result
  void fields(auto&& field) { field("axis", axis); }
};

}  // namespace memline::ops

// Attributes of CumSum.
#pragma once

#include "ops/attrs.h"

namespace memline::ops {

struct CumSumAttrs {
  bool exclusive = false;  // element i sums what is before it, without itself
  bool reverse = false;    // from the end of the axis
  void fields(auto&& field) { field("exclusive", exclusive), field("reverse", reverse); }
};

}  // namespace memline::ops

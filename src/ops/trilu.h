// Attributes of Trilu.
#pragma once

#include "ops/attrs.h"

namespace memline::ops {

struct TriluAttrs {
  bool upper = true;
  void fields(auto&& field) { field("upper", upper); }
};

}  // namespace memline::ops

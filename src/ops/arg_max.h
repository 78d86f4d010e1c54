// The attributes of ArgMax and ArgMin.
#pragma once

#include "ops/op.h"

namespace memline::ops {

struct ArgMaxAttrs {
  int64_t axis = 0;
  bool keepdims = true;
  bool select_last_index = false;  // among equal elements

  void fields(auto&& field) {
    field("axis", axis);
    field("keepdims", keepdims);
    field("select_last_index", select_last_index);
  }
};

}  // namespace memline::ops

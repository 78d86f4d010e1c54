// TopK's attributes.
#pragma once

#include "ops/op.h"

namespace memline::ops {

struct TopKAttrs {
  int64_t axis = -1;
  bool largest = true, sorted = true;

  void fields(auto&& field) {
    field("axis", axis);
    field("largest", largest);
    field("sorted", sorted);
  }
};

}  // namespace memline::ops

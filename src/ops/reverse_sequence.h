// Attributes of ReverseSequence.
#pragma once

#include "ops/attrs.h"

namespace memline::ops {

struct ReverseSequenceAttrs {
  int64_t batch_axis = 1, time_axis = 0;  // 0 and 1 in one order or the other
  void fields(auto&& field) { field("batch_axis", batch_axis), field("time_axis", time_axis); }
};

}  // namespace memline::ops

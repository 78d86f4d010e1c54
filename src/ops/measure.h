// Measure: integers that a run computes from data become slots, so that later dims may depend on them.
#pragma once

#include "ops/op.h"

namespace memline::ops {

struct MeasureAttrs {
  std::vector<int64_t> least, most;  // of each element, both inside

  void fields(auto&& field) {
    field("least", least);
    field("most", most);
  }
};

}  // namespace memline::ops

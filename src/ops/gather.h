// Attributes of Gather, GatherElements and GatherND.
#pragma once

#include "ops/attrs.h"

namespace memline::ops {

struct GatherAttrs {
  int64_t axis = 0;
  void fields(auto&& field) { field("axis", axis); }
};
struct GatherNdAttrs {
  int64_t batch_dims = 0;
  void fields(auto&& field) { field("batch_dims", batch_dims); }
};

}  // namespace memline::ops

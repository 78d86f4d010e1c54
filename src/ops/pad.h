// Pad's attributes.
#pragma once

#include <string>

#include "ops/op.h"

namespace memline::ops {

struct PadAttrs {
  std::string mode = "constant";  // reflect, edge, wrap

  void fields(auto&& field) { field("mode", mode); }
};

// The padding of one axis; negative numbers cut.
struct Padding {
  DimExpr begin, end;
};
// For each axis of x, from the inputs pads and axes.
Result<std::vector<Padding>> paddings(const InferContext& in);

}  // namespace memline::ops

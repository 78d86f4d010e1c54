// Attributes of Scatter, ScatterElements and ScatterND.
#pragma once

#include <string>

#include "ops/attrs.h"

namespace memline::ops {

struct ScatterElementsAttrs {
  int64_t axis = 0;
  std::string reduction = "none";  // none add mul max min
  void fields(auto&& field) { field("axis", axis), field("reduction", reduction); }
};
struct ScatterNdAttrs {
  std::string reduction = "none";
  void fields(auto&& field) { field("reduction", reduction); }
};

}  // namespace memline::ops

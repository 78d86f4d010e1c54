// Attributes of the two-input elementwise ops that have some.
#pragma once

#include <string>

#include "ops/attrs.h"

namespace memline::ops {

struct ModAttrs {
  bool fmod = false;  // false: the sign of the divisor; true: the sign of the dividend
  void fields(auto&& field) { field("fmod", fmod); }
};
struct BitShiftAttrs {
  std::string direction;  // "LEFT" or "RIGHT"
  void fields(auto&& field) { field("direction", direction); }
};

}  // namespace memline::ops

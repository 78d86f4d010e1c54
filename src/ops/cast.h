// Attributes of Cast and CastLike.
#pragma once

#include "ops/attrs.h"

namespace memline::ops {

struct CastAttrs {
  DType to = DType::f32;
  void fields(auto&& field) { field("to", to); }
};

}  // namespace memline::ops

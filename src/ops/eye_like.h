// Attributes of EyeLike.
#pragma once

#include "ops/attrs.h"

namespace memline::ops {

struct EyeLikeAttrs {
  int64_t k = 0;           // the diagonal: 0 the main one, above 0 an upper one
  bool input_type = true;  // false: `dtype` is given
  DType dtype = DType::f32;
  void fields(auto&& field) { field("k", k), field("input_type", input_type), field("dtype", dtype); }
};

}  // namespace memline::ops

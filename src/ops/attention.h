// memline.Attention's attributes.
#pragma once

#include "ops/op.h"

namespace memline::ops {

struct AttentionAttrs {
  float scale = 1;  // of the scores, before the softmax

  void fields(auto&& field) { field("scale", scale); }
};

}  // namespace memline::ops

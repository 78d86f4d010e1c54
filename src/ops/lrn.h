// LRN's attributes.
#pragma once

#include "ops/op.h"

namespace memline::ops {

struct LrnAttrs {
  float alpha = 0.0001f, beta = 0.75f, bias = 1;
  int64_t size = 0;  // channels summed over; required

  void fields(auto&& field) {
    field("alpha", alpha);
    field("beta", beta);
    field("bias", bias);
    field("size", size);
  }
};

}  // namespace memline::ops

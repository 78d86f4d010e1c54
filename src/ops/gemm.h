// Gemm's attributes.
#pragma once

#include "ops/op.h"

namespace memline::ops {

struct GemmAttrs {
  float alpha = 1, beta = 1;
  bool transA = false, transB = false;

  void fields(auto&& field) {
    field("alpha", alpha);
    field("beta", beta);
    field("transA", transA);
    field("transB", transB);
  }
};

}  // namespace memline::ops

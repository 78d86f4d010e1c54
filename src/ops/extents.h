// Extents: what shape arithmetic knows of a small integer tensor, written from the slots when a run comes there. The
// pass fold_shapes puts it in place of the nodes that computed the tensor.
#pragma once

#include "ops/op.h"

namespace memline::ops {

struct ExtentsAttrs {
  DType dtype = DType::i64;
  std::vector<int64_t> dims;
  std::string elements;  // expressions in row-major order, behind each other with ';'

  void fields(auto&& field) {
    field("dtype", dtype);
    field("dims", dims);
    field("elements", elements);
  }
};

std::string elements_text(const std::vector<DimExpr>& elements);
// Errors: invalid_argument.
Result<std::vector<DimExpr>> parse_elements(const ExtentsAttrs& attrs);

}  // namespace memline::ops

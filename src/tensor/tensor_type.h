// What is known of a tensor before a run: element type, and each extent as an expression.
#pragma once

#include <string>
#include <vector>

#include "tensor/dim_expr.h"
#include "tensor/dtype.h"

namespace memline {

struct TensorType {
  DType dtype = DType::f32;
  std::vector<DimExpr> dims;

  int rank() const { return static_cast<int>(dims.size()); }
  std::string text() const;  // "f32[1,3,640,640]", "i64[]", "f32[s0,4]"
  static Result<TensorType> parse(std::string_view text);
  bool operator==(const TensorType&) const = default;
};
using TensorTypes = std::vector<TensorType>;

}  // namespace memline

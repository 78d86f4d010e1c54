// Inputs that hold dims, extents or indices (Reshape, Expand, Tile, ConstantOfShape): their elements as DimExprs.
#pragma once

#include <string_view>
#include <vector>

#include "ops/op.h"

namespace memline::ops {

// The elements of the rank-1 integer input i. Where only the data knows them they are slots inside `range`.
Result<std::vector<DimExpr>> integers_input(const InferContext& in, size_t i, std::string_view what, Interval range);
// The same, where a number below 0 is invalid_model.
Result<std::vector<DimExpr>> dims_input(const InferContext& in, size_t i, std::string_view what);

}  // namespace memline::ops

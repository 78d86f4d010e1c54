// What every elementwise op says in the same words: which element types it takes, how its inputs broadcast, and which
// input rows a range of output rows needs.
#pragma once

#include <vector>

#include "ops/op.h"

namespace memline::ops {

enum class Accepts { floats, integers, signed_numbers, numbers, booleans, anything };

bool accepts(Accepts what, DType dtype);
// invalid_model: "input 0 is i32, needs a float type".
Status expect_accepted(const InferContext& in, size_t i, Accepts what);
// All inputs have input `first`'s dtype, and that is one of `what`.
Status expect_alike(const InferContext& in, Accepts what, size_t first = 0);

// The dims of all inputs, broadcast together.
Result<std::vector<DimExpr>> broadcast_inputs(const InferContext& in);

// The same rows of every input that has the output's extent on that axis; all of an input that is repeated along it.
std::vector<RowNeed> elementwise_rows(const InferContext& in, int axis, RowRange rows);

template <typename A>
std::vector<RowNeed> rows_by_element(const A&, const InferContext& in, int axis, RowRange rows) {
  return elementwise_rows(in, axis, rows);
}

}  // namespace memline::ops

// Types, broadcasting and rows of elementwise ops: see elementwise.h.
#include "ops/elementwise.h"

#include <algorithm>

#include "ops/shapes.h"

namespace memline::ops {
namespace {

bool is_unsigned(DType dtype) {
  return dtype == DType::u8 || dtype == DType::u16 || dtype == DType::u32 || dtype == DType::u64;
}

std::string_view accepted_text(Accepts what) {
  switch (what) {
    case Accepts::floats:
      return "a float type";
    case Accepts::integers:
      return "an integer type";
    case Accepts::signed_numbers:
      return "a float or signed integer type";
    case Accepts::numbers:
      return "a number type";
    case Accepts::booleans:
      return "bool";
    case Accepts::anything:
      break;
  }
  return "any type";
}

// The extent of input i on the output's axis `axis`; nullptr when the input has no such axis.
const DimExpr* extent_at(const InferContext& in, size_t i, int axis, int out_rank) {
  const int own = axis - (out_rank - in.rank(i));
  return own < 0 ? nullptr : &in.dims(i)[static_cast<size_t>(own)];
}

// The output's extent on `axis`, without the conditions that broadcasting demands: a number wins over an expression.
DimExpr broadcast_extent(const InferContext& in, int axis, int out_rank) {
  DimExpr extent = 1;
  for (size_t i = 0; i < in.size(); ++i) {
    const DimExpr* own = in.has(i) ? extent_at(in, i, axis, out_rank) : nullptr;
    if (own == nullptr || own->constant() == 1) continue;
    if (extent.constant() == 1 || (own->is_constant() && !extent.is_constant())) extent = *own;
  }
  return extent;
}

}  // namespace

bool accepts(Accepts what, DType dtype) {
  const bool number = dtype != DType::boolean;
  switch (what) {
    case Accepts::floats:
      return is_float(dtype);
    case Accepts::integers:
      return number && !is_float(dtype);
    case Accepts::signed_numbers:
      return number && !is_unsigned(dtype);
    case Accepts::numbers:
      return number;
    case Accepts::booleans:
      return !number;
    case Accepts::anything:
      break;
  }
  return true;
}

Status expect_accepted(const InferContext& in, size_t i, Accepts what) {
  if (accepts(what, in.dtype(i))) return {};
  return invalid_model("input {} is {}, needs {}", i, in.dtype(i), accepted_text(what));
}

Status expect_alike(const InferContext& in, Accepts what, size_t first) {
  MEML_TRY_STATUS(expect_accepted(in, first, what));
  for (size_t i = first + 1; i < in.size(); ++i)
    if (in.has(i)) MEML_TRY_STATUS(in.expect_same_dtype(first, i));
  return {};
}

Result<std::vector<DimExpr>> broadcast_inputs(const InferContext& in) {
  std::vector<DimExpr> dims;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!in.has(i)) continue;
    MEML_TRY(dims, broadcast_dims(in, dims, in.dims(i)));
  }
  return dims;
}

std::vector<RowNeed> elementwise_rows(const InferContext& in, int axis, RowRange rows) {
  int out_rank = 0;
  for (size_t i = 0; i < in.size(); ++i)
    if (in.has(i)) out_rank = std::max(out_rank, in.rank(i));
  const DimExpr extent = broadcast_extent(in, axis, out_rank);
  std::vector<RowNeed> needs(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    const DimExpr* own = in.has(i) ? extent_at(in, i, axis, out_rank) : nullptr;
    if (own == nullptr || own->constant() == 1) continue;
    if (*own != extent && own->is_constant() != extent.is_constant()) continue;  // 1 in some runs
    needs[i] = {.all = false, .axis = axis - (out_rank - in.rank(i)), .rows = rows};
  }
  return needs;
}

}  // namespace memline::ops

// Unsqueeze: inserts axes of extent 1 at the places, counted in the result, that input 1 names (before opset 13 an
// attribute).
#include <algorithm>

#include "ops/op.h"
#include "ops/reshape_view.h"
#include "ops/same_elements.h"
#include "ops/shape_values.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<NoAttrs> import(AttrReader& reader, int opset) {
  if (opset >= 13) return NoAttrs{};
  MEML_TRY(const auto axes, reader.find_ints("axes"));
  if (!axes) return invalid_model("attribute 'axes' is missing");
  reader.set_int64_input(1, *axes);
  return NoAttrs{};
}

Result<std::vector<DimExpr>> unsqueezed_dims(const InferContext& in) {
  MEML_TRY(const std::vector<int64_t> numbers, in.constant_ints(1, "axes"));
  const size_t rank = in.dims(0).size() + numbers.size();
  if (rank > kMaxRank) return unsupported("the result has rank {}, at most {} is supported", rank, kMaxRank);
  MEML_TRY(const std::vector<int> axes, resolve_axes(numbers, static_cast<int>(rank), "axes"));
  std::vector<DimExpr> dims;
  for (size_t axis = 0, next = 0; axis < rank; ++axis) {
    const bool added = std::find(axes.begin(), axes.end(), static_cast<int>(axis)) != axes.end();
    dims.push_back(added ? DimExpr(1) : in.dims(0)[next++]);
  }
  return dims;
}

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY(std::vector<DimExpr> dims, unsqueezed_dims(in));
  return TensorTypes{{.dtype = in.dtype(0), .dims = std::move(dims)}};
}

Result<Integers> values(const NoAttrs&, const InferContext& in) {
  return in.values(0) ? Integers(*in.values(0)) : std::nullopt;
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  copy_in_order(in[0], out[0]);
}

std::vector<RowNeed> rows(const NoAttrs&, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  if (const auto dims = unsqueezed_dims(in)) needs[0] = reshaped_rows(in.dims(0), *dims, axis, range);
  return needs;
}

std::optional<Placement> view(const NoAttrs&, const InferContext& in, size_t, size_t input, const Placement& at) {
  const auto dims = unsqueezed_dims(in);
  return input == 0 && dims ? reshaped(in.dims(0), *dims, at) : std::nullopt;
}

}  // namespace

OpDef unsqueeze() {
  return define_op<NoAttrs>("Unsqueeze", {.import = import,
                                          .infer = infer,
                                          .values = values,
                                          .reference = reference,
                                          .rows = rows,
                                          .view_output = view,
                                          .extent_inputs = always<2>});
}

}  // namespace memline::ops

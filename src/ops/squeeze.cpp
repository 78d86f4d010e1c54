// Squeeze: removes the axes of extent 1 that input 1 names (before opset 13 an attribute), or all of them when it is
// absent.
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
  if (axes) reader.set_int64_input(1, *axes);
  return NoAttrs{};
}

// Which axes go.
Result<std::vector<int>> squeezed_axes(const InferContext& in) {
  if (in.has(1)) {
    MEML_TRY(const std::vector<int64_t> axes, in.constant_ints(1, "axes"));
    return resolve_axes(axes, in.rank(0), "axes");
  }
  std::vector<int> axes;
  for (int axis = 0; axis < in.rank(0); ++axis) {
    const DimExpr& dim = in.dims(0)[static_cast<size_t>(axis)];
    if (dim.constant() == 1) axes.push_back(axis);
    if (!dim.is_constant())
      return unsupported("axes are not given and axis {} ({}) is 1 in some runs only, so the rank is not known", axis,
                         dim.text());
  }
  return axes;
}

Result<std::vector<DimExpr>> squeezed_dims(const InferContext& in) {
  MEML_TRY(const std::vector<int> axes, squeezed_axes(in));
  std::vector<DimExpr> dims;
  for (int axis = 0; axis < in.rank(0); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) dims.push_back(in.dims(0)[static_cast<size_t>(axis)]);
  return dims;
}

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 2));
  MEML_TRY(const std::vector<int> axes, squeezed_axes(in));
  for (const int axis : axes) {
    const DimExpr& dim = in.dims(0)[static_cast<size_t>(axis)];
    MEML_TRY_STATUS(in.expect_equal(dim, 1, fmt::format("axis {} of {} is removed", axis, in.type(0).text())));
  }
  MEML_TRY(std::vector<DimExpr> dims, squeezed_dims(in));
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
  if (const auto dims = squeezed_dims(in)) needs[0] = reshaped_rows(in.dims(0), *dims, axis, range);
  return needs;
}

std::optional<Placement> view(const NoAttrs&, const InferContext& in, size_t, size_t input, const Placement& at) {
  const auto dims = squeezed_dims(in);
  return input == 0 && dims ? reshaped(in.dims(0), *dims, at) : std::nullopt;
}

}  // namespace

OpDef squeeze() {
  return define_op<NoAttrs>("Squeeze", {.import = import,
                                        .infer = infer,
                                        .values = values,
                                        .reference = reference,
                                        .rows = rows,
                                        .view_output = view,
                                        .extent_inputs = always<2>});
}

}  // namespace memline::ops

// Expand: the input broadcast with the shape that input 1 holds. A view only where nothing is repeated.
#include "ops/dims_input.h"
#include "ops/op.h"
#include "ops/reference.h"
#include "ops/reshape_view.h"
#include "ops/shape_values.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY(const std::vector<DimExpr> shape, dims_input(in, 1, "the shape"));
  MEML_TRY(std::vector<DimExpr> dims, broadcast_dims(in, in.dims(0), shape));
  return TensorTypes{{.dtype = in.dtype(0), .dims = std::move(dims)}};
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) { copy(in[0], out[0]); }

Result<Integers> values(const NoAttrs& attrs, const InferContext& in) {
  if (in.values(0) == nullptr || in.values(1) == nullptr) return std::nullopt;
  MEML_TRY(const TensorTypes types, infer(attrs, in));
  // The shape is not read, so it need not be a constant.
  const InferInput data = {.type = in.type(0), .values = in.values(0)};
  return moved_integers(InferContext({&data, 1}, 1, nullptr), types[0].dims, 1,
                        [&](auto from, auto to) { reference(attrs, from, to); });
}

// The input's extent on the output's axis, and whether the shape can repeat it.
bool is_repeated(const InferContext& in, size_t axis) {
  const std::vector<DimExpr>& shape = *in.values(1);
  const size_t rank = std::max(in.dims(0).size(), shape.size());
  const size_t from_right = rank - axis;
  if (from_right > in.dims(0).size()) return true;
  const DimExpr& extent = in.dims(0)[in.dims(0).size() - from_right];
  if (from_right > shape.size()) return false;
  const DimExpr& wanted = shape[shape.size() - from_right];
  return !(wanted.constant() == 1 || wanted == extent || (extent.constant().value_or(1) != 1));
}

std::vector<RowNeed> rows(const NoAttrs&, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(2);
  if (in.values(1) == nullptr || is_repeated(in, static_cast<size_t>(axis))) return needs;
  const auto added = std::max(0, static_cast<int>(in.values(1)->size()) - in.rank(0));
  needs[0] = {.all = false, .axis = axis - added, .rows = range};
  return needs;
}

std::optional<Placement> view(const NoAttrs&, const InferContext& in, size_t, size_t input, const Placement& at) {
  if (input != 0 || in.values(1) == nullptr || in.values(1)->size() > in.dims(0).size()) return std::nullopt;
  for (size_t axis = 0; axis < in.dims(0).size(); ++axis)
    if (is_repeated(in, axis)) return std::nullopt;
  return at;
}

}  // namespace

OpDef expand() {
  return define_op<NoAttrs>("Expand", {.since_opset = 8,
                                       .infer = infer,
                                       .values = values,
                                       .reference = reference,
                                       .rows = rows,
                                       .view_output = view,
                                       .extent_inputs = always<2>});
}

}  // namespace memline::ops

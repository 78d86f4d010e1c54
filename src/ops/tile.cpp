// Tile: axis k of the input repeated repeats[k] times as a whole.
#include "ops/dims_input.h"
#include "ops/op.h"
#include "ops/reference.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY(const std::vector<DimExpr> repeats, dims_input(in, 1, "repeats"));
  if (repeats.size() != in.dims(0).size())
    return invalid_model("{} repeats for the input {}", repeats.size(), in.type(0).text());
  TensorType type = in.type(0);
  for (size_t axis = 0; axis < repeats.size(); ++axis) type.dims[axis] = type.dims[axis] * repeats[axis];
  return TensorTypes{std::move(type)};
}

// One tile after the other.
void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  Extents tiles{}, tile_strides{};
  for (size_t axis = 0; axis < in[0].rank; ++axis) {
    if (in[0].dims[axis] == 0) return;
    tiles[axis] = out[0].dims[axis] / in[0].dims[axis];
    tile_strides[axis] = in[0].dims[axis] * out[0].strides[axis];
  }
  walk<1>(in[0].rank, tiles, {tile_strides}, [&](const auto& at) {
    TensorView tile = out[0];
    tile.dims = in[0].dims;
    tile.data = out[0].as<std::byte>() + at[0] * size_of(out[0].dtype);
    copy(in[0], tile);
  });
}

std::vector<RowNeed> rows(const NoAttrs&, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(2);
  const std::vector<DimExpr>* repeats = in.values(1);
  if (repeats != nullptr && (*repeats)[static_cast<size_t>(axis)].constant() == 1)
    needs[0] = {.all = false, .axis = axis, .rows = range};
  return needs;
}

std::optional<Placement> view(const NoAttrs&, const InferContext& in, size_t, size_t input, const Placement& at) {
  if (input != 0 || in.values(1) == nullptr) return std::nullopt;
  for (const DimExpr& repeat : *in.values(1))
    if (repeat.constant() != 1) return std::nullopt;
  return at;
}

}  // namespace

OpDef tile() {
  return define_op<NoAttrs>("Tile", {.since_opset = 6,
                                     .infer = infer,
                                     .values = integers_by_moving<infer, reference, 1>,
                                     .reference = reference,
                                     .rows = rows,
                                     .view_output = view,
                                     .extent_inputs = always<2>});
}

}  // namespace memline::ops

// Split: the input cut on one axis into as many parts as there are outputs; sizes from input 1 (before opset 13 an
// attribute), else equal. Each part is a view of the input.
#include "ops/split.h"

#include "ops/dims_input.h"
#include "ops/op.h"
#include "ops/reference.h"
#include "ops/reshape_view.h"
#include "ops/shape_values.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<SplitAttrs> import(AttrReader& reader, int opset) {
  MEML_TRY(const int64_t axis, reader.int_or("axis", 0));
  if (opset < 13) {
    MEML_TRY(const auto sizes, reader.find_ints("split"));
    if (sizes) reader.set_int64_input(1, *sizes);
  }
  MEML_TRY(const auto count, reader.find_int("num_outputs"));
  if (count && *count != static_cast<int64_t>(reader.outputs()))
    return invalid_model("num_outputs is {}, the node has {} outputs", *count, reader.outputs());
  return SplitAttrs{.axis = axis, .ragged = opset >= 18};
}

// The extent of each part, not yet checked against the input's.
Result<std::vector<DimExpr>> part_sizes(const SplitAttrs& attrs, const InferContext& in) {
  MEML_TRY(const int axis, resolve_axis(attrs.axis, in.rank(0), "axis"));
  const DimExpr& extent = in.dims(0)[static_cast<size_t>(axis)];
  const auto count = static_cast<int64_t>(in.outputs());
  if (in.has(1)) {
    MEML_TRY(std::vector<DimExpr> sizes, in.integers(1, "the sizes", {0, in.values(1) ? 0 : in.bound(extent)}));
    if (static_cast<int64_t>(sizes.size()) != count)
      return invalid_model("there are {} sizes and {} outputs", sizes.size(), count);
    return sizes;
  }
  const DimExpr chunk = attrs.ragged ? ceil_div(extent, count) : floor_div(extent, count);
  std::vector<DimExpr> sizes(static_cast<size_t>(count), chunk);
  if (!attrs.ragged || mod(extent, count).constant() == 0) return sizes;
  for (int64_t i = 0; i < count; ++i) sizes[static_cast<size_t>(i)] = max(0, min(chunk, extent - i * chunk));
  return sizes;
}

Status check_sizes(const SplitAttrs& attrs, const InferContext& in, const std::vector<DimExpr>& sizes) {
  const DimExpr& extent = in.dims(0)[static_cast<size_t>(wrap_axis(attrs.axis, in.rank(0)))];
  if (!in.has(1)) {
    if (attrs.ragged) return {};
    return in.demand(equal(mod(extent, static_cast<int64_t>(in.outputs())), 0),
                     fmt::format("an extent of {} does not divide into {} equal parts", extent.text(), in.outputs()));
  }
  DimExpr sum = 0;
  for (const DimExpr& size : sizes) {
    if (size.is_constant() && *size.constant() < 0) return invalid_model("a part has the size {}", size.text());
    sum = sum + size;
  }
  return in.expect_equal(sum, extent, "the sum of the sizes and the input's extent");
}

Result<TensorTypes> infer(const SplitAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 2));
  MEML_TRY(const std::vector<DimExpr> sizes, part_sizes(attrs, in));
  MEML_TRY_STATUS(check_sizes(attrs, in, sizes));
  TensorTypes types(sizes.size(), in.type(0));
  for (size_t i = 0; i < sizes.size(); ++i)
    types[i].dims[static_cast<size_t>(wrap_axis(attrs.axis, in.rank(0)))] = sizes[i];
  return types;
}

void reference(const SplitAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const auto axis = static_cast<size_t>(wrap_axis(attrs.axis, in[0].rank));
  int64_t begin = 0;
  for (const TensorView& part : out) {
    TensorView source = in[0];
    source.dims[axis] = part.dims[axis];
    source.data = in[0].as<std::byte>() + begin * in[0].strides[axis] * size_of(in[0].dtype);
    if (part.data != nullptr) copy(source, part);
    begin += part.dims[axis];
  }
}

// The first part's.
Result<Integers> values(const SplitAttrs& attrs, const InferContext& in) {
  if (in.rank(0) != 1 || in.values(0) == nullptr) return std::nullopt;
  MEML_TRY(const std::vector<DimExpr> sizes, part_sizes(attrs, in));
  if (!sizes[0].is_constant()) return std::nullopt;
  return std::vector<DimExpr>(in.values(0)->begin(), in.values(0)->begin() + *sizes[0].constant());
}

std::vector<RowNeed> rows(const SplitAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  if (wrap_axis(attrs.axis, in.rank(0)) != axis) needs[0] = {.all = false, .axis = axis, .rows = range};
  return needs;
}

std::optional<Placement> view(const SplitAttrs& attrs, const InferContext& in, size_t output, size_t input,
                              const Placement& at) {
  const auto sizes = part_sizes(attrs, in);
  if (input != 0 || !sizes) return std::nullopt;
  const auto axis = static_cast<size_t>(wrap_axis(attrs.axis, in.rank(0)));
  DimExpr begin = 0;
  for (size_t i = 0; i < output; ++i) begin = begin + (*sizes)[i];
  std::vector<DimExpr> dims = in.dims(0);
  dims[axis] = (*sizes)[output];
  return if_unit_stride({.offset = at.offset + begin * at.strides[axis], .strides = at.strides}, dims);
}

}  // namespace

OpDef split() {
  return define_op<SplitAttrs>("Split", {.since_opset = 2,
                                         .import = import,
                                         .infer = infer,
                                         .values = values,
                                         .reference = reference,
                                         .rows = rows,
                                         .view_output = view,
                                         .extent_inputs = always<2, SplitAttrs>});
}

}  // namespace memline::ops

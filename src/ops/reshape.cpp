// Reshape: the same elements, in row-major order, under other dims. In the shape, -1 is what is left over and 0 copies
// the input's extent (unless allowzero). Where only the data knows the shape, each of its elements is a slot, from -1
// to the number of elements that there are.
#include "ops/reshape.h"

#include <algorithm>

#include "ops/dims_input.h"
#include "ops/reshape_view.h"
#include "ops/same_elements.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

using Dims = std::vector<DimExpr>;

struct Resolved {
  Dims dims;
  // The elements on both sides without the extents that stand on both; they have to agree. With a -1: input = k *
  // output.
  DimExpr input_rest, output_rest;
  bool has_rest_axis = false;
};

// Takes away what the two lists have in common, so that [n, 64, 20, 20] -> [n, -1, 85] divides 64*20*20 by 85 and not
// by n.
void cancel_common(Dims& a, Dims& b) {
  for (auto it = a.begin(); it != a.end();) {
    const auto match = std::find(b.begin(), b.end(), *it);
    if (match == b.end()) {
      ++it;
      continue;
    }
    b.erase(match);
    it = a.erase(it);
  }
}

// An element of a shape that only the data knows: a slot, less 1.
bool may_be_rest(const DimExpr& dim) {
  std::vector<int32_t> slots;
  dim.collect_slots(slots);
  return slots.size() == 1 && dim - DimExpr::slot(slots[0]) == DimExpr(-1);
}

// What stands for -1 and 0 in such elements, and bounds: no extent is larger than what those before it leave.
void resolve_measured(const ReshapeAttrs& attrs, const Dims& input, Dims& dims) {
  const DimExpr total = product(input);
  Dims copied = dims;
  for (size_t i = 0; i < dims.size(); ++i)
    if (may_be_rest(dims[i]) && !attrs.allowzero && i < input.size())
      copied[i] = select(equal(dims[i], 0), input[i], dims[i]);
  DimExpr before = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (may_be_rest(dims[i])) {
      Dims others = copied;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const DimExpr extent = max(0, select(less(dims[i], 0), floor_div(total, product(others)), copied[i]));
      dims[i] = select(equal(total, 0), extent, min(extent, floor_div(total, max(1, before))));
    }
    before = before * dims[i];
  }
}

Result<Resolved> resolve(const ReshapeAttrs& attrs, const InferContext& in) {
  const Interval range{-1, in.values(1) ? 0 : in.bound(product(in.dims(0)))};
  MEML_TRY(Dims dims, integers_input(in, 1, "the shape", range));
  std::optional<size_t> rest_axis;
  bool has_zero = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].constant() == 0 && !attrs.allowzero) {
      if (i >= in.dims(0).size())
        return invalid_model("the shape copies axis {}, which {} does not have", i, in.type(0).text());
      dims[i] = in.dims(0)[i];
    } else if (dims[i].constant() == -1) {
      if (rest_axis) return invalid_model("the shape has -1 twice, on axes {} and {}", *rest_axis, i);
      rest_axis = i;
    } else if (dims[i].is_constant() && *dims[i].constant() < 0) {
      return invalid_model("the shape has the extent {} on axis {}", dims[i].text(), i);
    }
    has_zero = has_zero || dims[i].constant() == 0;
  }
  if (!rest_axis && std::any_of(dims.begin(), dims.end(), may_be_rest)) resolve_measured(attrs, in.dims(0), dims);
  if (rest_axis && has_zero && attrs.allowzero) return invalid_model("the shape has both -1 and an extent of 0");

  Dims from = in.dims(0), to = dims;
  if (rest_axis) to.erase(to.begin() + static_cast<std::ptrdiff_t>(*rest_axis));
  cancel_common(from, to);
  Resolved resolved = {.dims = std::move(dims), .input_rest = product(from), .output_rest = product(to)};
  if (rest_axis) {
    resolved.has_rest_axis = true;
    resolved.dims[*rest_axis] = floor_div(resolved.input_rest, resolved.output_rest);
  }
  return resolved;
}

Result<TensorTypes> infer(const ReshapeAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY(Resolved resolved, resolve(attrs, in));
  const DimExpr &from = resolved.input_rest, &to = resolved.output_rest;
  TensorType type = {.dtype = in.dtype(0), .dims = std::move(resolved.dims)};
  if (resolved.has_rest_axis) {
    const std::string what = fmt::format("{} does not divide into {}", in.type(0).text(), type.text());
    MEML_TRY_STATUS(in.demand(equal(mod(from, to), 0), what));
  } else {
    const std::string what =
        fmt::format("{} and {} hold different numbers of elements", in.type(0).text(), type.text());
    MEML_TRY_STATUS(in.demand(equal(from, to), what));
  }
  return TensorTypes{std::move(type)};
}

Result<Integers> values(const ReshapeAttrs&, const InferContext& in) {
  return in.values(0) ? Integers(*in.values(0)) : std::nullopt;
}

void reference(const ReshapeAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  copy_in_order(in[0], out[0]);
}

std::vector<RowNeed> rows(const ReshapeAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  const Result<Resolved> resolved = resolve(attrs, in);
  if (!resolved) return std::vector<RowNeed>(2);
  return {reshaped_rows(in.dims(0), resolved->dims, axis, range), {}};
}

std::optional<Placement> view(const ReshapeAttrs& attrs, const InferContext& in, size_t, size_t input,
                              const Placement& at) {
  const Result<Resolved> resolved = resolve(attrs, in);
  return input == 0 && resolved ? reshaped(in.dims(0), resolved->dims, at) : std::nullopt;
}

}  // namespace

OpDef reshape() {
  return define_op<ReshapeAttrs>("Reshape", {.since_opset = 5,
                                             .infer = infer,
                                             .values = values,
                                             .reference = reference,
                                             .rows = rows,
                                             .view_output = view,
                                             .extent_inputs = always<2, ReshapeAttrs>});
}

}  // namespace memline::ops

// Softmax: exp(x - max) / sum of it, along an axis; before opset 13 over all axes from it on, as one.
#include "ops/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/reference.h"
#include "ops/shapes.h"

namespace memline::ops {

Result<SoftmaxAttrs> import_softmax(AttrReader& reader, int opset) {
  SoftmaxAttrs attrs;
  MEML_TRY(attrs.axis, reader.int_or("axis", opset < 13 ? 1 : -1));
  attrs.flatten = opset < 13 && attrs.axis != -1;  // from the last axis on is along the last axis
  return attrs;
}

Result<TensorTypes> infer_softmax(const SoftmaxAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  MEML_TRY_STATUS(in.expect_float(0));
  if (const auto axis = resolve_axis(attrs.axis, in.rank(0), "axis"); !axis) return Failure(axis.error());
  return TensorTypes{in.type(0)};
}

std::vector<RowNeed> softmax_rows(const SoftmaxAttrs& attrs, const InferContext& in, int axis, RowRange rows) {
  if (softmax_runs_over(attrs, axis, in.rank(0))) return {RowNeed{}};
  return {{.all = false, .axis = axis, .rows = rows}};
}

namespace {

void reference(const SoftmaxAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  const Extents outer = extents_where(x, [&](int axis) { return !softmax_runs_over(attrs, axis, x.rank); });
  const Extents inner = extents_where(x, [&](int axis) { return softmax_runs_over(attrs, axis, x.rank); });
  const std::array<Extents, 2> strides = {x.strides, y.strides};
  walk(x.rank, outer, strides, [&](const auto& first) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    walk(x.rank, inner, strides,
         [&](const auto& at) { largest = std::max(largest, load<double>(x, first[0] + at[0])); });
    walk(x.rank, inner, strides, [&](const auto& at) { sum += std::exp(load<double>(x, first[0] + at[0]) - largest); });
    walk(x.rank, inner, strides, [&](const auto& at) {
      store(y, first[1] + at[1], std::exp(load<double>(x, first[0] + at[0]) - largest) / sum);
    });
  });
}

}  // namespace

OpDef softmax() {
  return define_op<SoftmaxAttrs>(
      "Softmax", {.import = import_softmax, .infer = infer_softmax, .reference = reference, .rows = softmax_rows});
}

}  // namespace memline::ops

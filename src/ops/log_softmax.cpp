// LogSoftmax: x - max - log(sum of exp(x - max)), along an axis; before opset 13 over all axes from it on, as one.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/reference.h"
#include "ops/softmax.h"

namespace memline::ops {
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
      store(y, first[1] + at[1], load<double>(x, first[0] + at[0]) - largest - std::log(sum));
    });
  });
}

}  // namespace

OpDef log_softmax() {
  return define_op<SoftmaxAttrs>(
      "LogSoftmax", {.import = import_softmax, .infer = infer_softmax, .reference = reference, .rows = softmax_rows});
}

}  // namespace memline::ops

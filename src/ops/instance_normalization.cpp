// InstanceNormalization: (x - mean) / sqrt(variance + epsilon) * scale + bias, statistics over the spatial axes of each
// channel of each picture.  in x [N, C, spatial...], scale [C], bias [C]
#include "ops/instance_normalization.h"

#include <cmath>

#include "ops/reference.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const InstanceNormalizationAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(3, 3));
  MEML_TRY_STATUS(in.expect_rank(0, 3, kMaxRank));
  for (size_t i = 0; i < 3; ++i) {
    MEML_TRY_STATUS(in.expect_float(i));
    if (i == 0) continue;
    MEML_TRY_STATUS(in.expect_rank(i, 1, 1));
    MEML_TRY_STATUS(
        in.expect_equal(in.dims(i)[0], in.dims(0)[1], fmt::format("input {} has one element a channel", i)));
  }
  return TensorTypes{in.type(0)};
}

void reference(const InstanceNormalizationAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  const Extents plane = extents_where(x, [](int axis) { return axis >= 2; });
  const std::array<Extents, 2> strides = {x.strides, y.strides};
  double count = 1;
  for (int i = 2; i < x.rank; ++i) count *= static_cast<double>(x.dim(i));
  for (int64_t n = 0; n < x.dim(0); ++n)
    for (int64_t c = 0; c < x.dim(1); ++c) {
      const int64_t x_first = n * x.stride(0) + c * x.stride(1), y_first = n * y.stride(0) + c * y.stride(1);
      double sum = 0, squares = 0;
      walk(x.rank, plane, strides, [&](const auto& at) { sum += load<double>(x, x_first + at[0]); });
      const double mean = sum / count;
      walk(x.rank, plane, strides, [&](const auto& at) {
        const double d = load<double>(x, x_first + at[0]) - mean;
        squares += d * d;
      });
      const double scale =
          load<double>(in[1], c * in[1].stride(0)) / std::sqrt(squares / count + static_cast<double>(attrs.epsilon));
      const double bias = load<double>(in[2], c * in[2].stride(0));
      walk(x.rank, plane, strides, [&](const auto& at) {
        store(y, y_first + at[1], (load<double>(x, x_first + at[0]) - mean) * scale + bias);
      });
    }
}

std::vector<RowNeed> rows(const InstanceNormalizationAttrs&, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  if (axis < 2) needs[0] = {.all = false, .axis = axis, .rows = range};
  if (axis == 1)
    for (size_t i = 1; i < needs.size(); ++i) needs[i] = {.all = false, .axis = 0, .rows = range};
  return needs;
}

}  // namespace

OpDef instance_normalization() {
  return define_op<InstanceNormalizationAttrs>(
      "InstanceNormalization", {.since_opset = 6, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

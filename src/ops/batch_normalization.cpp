// BatchNormalization, inference: (x - mean) / sqrt(variance + epsilon) * scale + bias, by channel.
//   in   x [N, C, ...] (or [N], one channel), scale [C], bias [C], mean [C], variance [C]
#include "ops/batch_normalization.h"

#include <cmath>

#include "ops/reference.h"

namespace memline::ops {
namespace {

Result<BatchNormalizationAttrs> import(AttrReader& reader, int opset) {
  BatchNormalizationAttrs attrs;
  MEML_TRY(attrs.epsilon, reader.float_or("epsilon", 1e-5f));
  MEML_TRY(const int64_t training, reader.int_or("training_mode", 0));
  if (training != 0 || (opset < 14 && reader.outputs() > 1)) return unsupported("training mode is not supported");
  MEML_TRY(const int64_t spatial, reader.int_or("spatial", 1));
  if (spatial != 1) return unsupported("spatial=0 (statistics for each activation) is not supported");
  return attrs;
}

Result<TensorTypes> infer(const BatchNormalizationAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(5, 5));
  MEML_TRY_STATUS(in.expect_rank(0, 1, kMaxRank));
  const DimExpr channels = in.rank(0) == 1 ? DimExpr(1) : in.dims(0)[1];
  for (size_t i = 0; i < 5; ++i) {
    MEML_TRY_STATUS(in.expect_float(i));
    if (i == 0) continue;
    MEML_TRY_STATUS(in.expect_rank(i, 1, 1));
    MEML_TRY_STATUS(in.expect_equal(in.dims(i)[0], channels, fmt::format("input {} has one element a channel", i)));
  }
  return TensorTypes{in.type(0)};
}

void reference(const BatchNormalizationAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  const int64_t channels = x.rank == 1 ? 1 : x.dim(1);
  const Extents plane = extents_where(x, [](int axis) { return axis != 1; });
  for (int64_t c = 0; c < channels; ++c) {
    const auto parameter = [&](size_t i) { return load<double>(in[i], c * in[i].stride(0)); };
    const double scale = parameter(1) / std::sqrt(parameter(4) + static_cast<double>(attrs.epsilon));
    const double shift = parameter(2), mean = parameter(3);
    const int64_t x_first = x.rank == 1 ? 0 : c * x.stride(1), y_first = x.rank == 1 ? 0 : c * y.stride(1);
    walk<2>(x.rank, plane, {x.strides, y.strides}, [&](const auto& at) {
      store(y, y_first + at[1], (load<double>(x, x_first + at[0]) - mean) * scale + shift);
    });
  }
}

std::vector<RowNeed> rows(const BatchNormalizationAttrs&, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  needs[0] = {.all = false, .axis = axis, .rows = range};
  if (axis == 1)
    for (size_t i = 1; i < needs.size(); ++i) needs[i] = {.all = false, .axis = 0, .rows = range};
  return needs;
}

}  // namespace

OpDef batch_normalization() {
  return define_op<BatchNormalizationAttrs>(
      "BatchNormalization", {.since_opset = 7, .import = import, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

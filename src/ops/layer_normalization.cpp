// LayerNormalization: (x - mean) / sqrt(variance + epsilon) * scale + bias, statistics over the axes from `axis` on.
//   in   x, scale and optional bias (both broadcast to x)
//   out  y as x; optionally mean and 1 / sqrt(variance + epsilon), f32, with 1 on the normalised axes
// Statistics are always taken wider than f32, whatever stash_type asks for.
#include "ops/layer_normalization.h"

#include <cmath>

#include "ops/reference.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<LayerNormalizationAttrs> import(AttrReader& reader, int) {
  LayerNormalizationAttrs attrs;
  MEML_TRY(attrs.axis, reader.int_or("axis", -1));
  MEML_TRY(attrs.epsilon, reader.float_or("epsilon", 1e-5f));
  MEML_TRY(const int64_t stash_type, reader.int_or("stash_type", 1));
  if (stash_type != 1) return unsupported("stash_type is {}: only 1 (f32) is supported", stash_type);
  return attrs;
}

Status expect_broadcast_to_x(const InferContext& in, size_t i) {
  MEML_TRY_STATUS(in.expect_float(i));
  MEML_TRY_STATUS(in.expect_rank(i, 0, in.rank(0)));
  const auto &x = in.dims(0), &p = in.dims(i);
  for (size_t a = 0; a < p.size(); ++a)
    if (p[a] != DimExpr(1))
      MEML_TRY_STATUS(in.expect_equal(p[a], x[x.size() - p.size() + a], fmt::format("input {} broadcasts to x", i)));
  return {};
}

Result<TensorTypes> infer(const LayerNormalizationAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 3));
  MEML_TRY_STATUS(in.expect_float(0));
  MEML_TRY(const int axis, resolve_axis(attrs.axis, in.rank(0), "axis"));
  MEML_TRY_STATUS(expect_broadcast_to_x(in, 1));
  if (in.has(2)) MEML_TRY_STATUS(expect_broadcast_to_x(in, 2));
  TensorTypes types{in.type(0)};
  TensorType statistics{DType::f32, in.dims(0)};
  for (auto a = static_cast<size_t>(axis); a < statistics.dims.size(); ++a) statistics.dims[a] = 1;
  while (types.size() < in.outputs()) types.push_back(statistics);
  return types;
}

void reference(const LayerNormalizationAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  const TensorView scale = in[1], bias = input_or_none(in, 2);
  const TensorView mean_out = out.size() > 1 ? out[1] : TensorView{},
                   inverse_out = out.size() > 2 ? out[2] : TensorView{};
  const int first_axis = wrap_axis(attrs.axis, x.rank);
  const Extents outer = extents_where(x, [&](int axis) { return axis < first_axis; });
  const Extents inner = extents_where(x, [&](int axis) { return axis >= first_axis; });
  const std::array<Extents, 6> strides = {
      x.strides,        y.strides,          broadcast_strides(scale, x), broadcast_strides(bias, x),
      mean_out.strides, inverse_out.strides};
  double count = 1;
  for (int i = first_axis; i < x.rank; ++i) count *= static_cast<double>(x.dim(i));

  walk(x.rank, outer, strides, [&](const auto& first) {
    double sum = 0, squares = 0;
    walk(x.rank, inner, strides, [&](const auto& at) { sum += load<double>(x, first[0] + at[0]); });
    const double mean = sum / count;
    walk(x.rank, inner, strides, [&](const auto& at) {
      const double d = load<double>(x, first[0] + at[0]) - mean;
      squares += d * d;
    });
    const double inverse = 1 / std::sqrt(squares / count + static_cast<double>(attrs.epsilon));
    walk(x.rank, inner, strides, [&](const auto& at) {
      const double normal = (load<double>(x, first[0] + at[0]) - mean) * inverse;
      const double shift = bias.data ? load<double>(bias, first[3] + at[3]) : 0;
      store(y, first[1] + at[1], normal * load<double>(scale, first[2] + at[2]) + shift);
    });
    if (mean_out.data) store(mean_out, first[4], mean);
    if (inverse_out.data) store(inverse_out, first[5], inverse);
  });
}

std::vector<RowNeed> rows(const LayerNormalizationAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  const int rank = in.rank(0);
  if (axis >= wrap_axis(attrs.axis, rank)) return needs;
  for (size_t i = 0; i < needs.size(); ++i) {
    const int own = in.has(i) ? axis - (rank - in.rank(i)) : -1;
    if (own >= 0 && in.dims(i)[static_cast<size_t>(own)] != DimExpr(1))
      needs[i] = {.all = false, .axis = own, .rows = range};
  }
  return needs;
}

}  // namespace

OpDef layer_normalization() {
  return define_op<LayerNormalizationAttrs>(
      "LayerNormalization",
      {.since_opset = 17, .import = import, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

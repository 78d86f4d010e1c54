// Range: start, start + delta, ... before limit. The length has to be known: integers from shape arithmetic, or
// constant floats.
#include <cmath>

#include "ops/op.h"
#include "ops/reference.h"
#include "ops/scalar_math.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

std::string_view input_name(size_t i) { return i == 0 ? "start" : i == 1 ? "limit" : "delta"; }

Result<DimExpr> float_length(const InferContext& in) {
  double bounds[3];
  for (size_t i = 0; i < 3; ++i) {
    const TensorView* constant = in.constant(i);
    if (constant == nullptr)
      return unsupported("{} ({}) is computed at run time, so the length is not known", input_name(i),
                         in.type(i).text());
    bounds[i] = load<double>(*constant, 0);
  }
  const auto [start, limit, delta] = bounds;
  const double length = std::ceil((limit - start) / delta);
  constexpr double kMost = 1e12;
  if (!(std::abs(length) <= kMost)) return invalid_model("from {} to {} by {} has no length", start, limit, delta);
  return DimExpr(static_cast<int64_t>(std::max(length, 0.0)));
}

Result<DimExpr> length_of(const InferContext& in) {
  if (is_float(in.dtype(0))) return float_length(in);
  for (size_t i = 0; i < 3; ++i)
    if (in.values(i) == nullptr)
      return unsupported("{} ({}) is computed from data at run time, so the length is not known", input_name(i),
                         in.type(i).text());
  const DimExpr &start = in.values(0)->front(), &limit = in.values(1)->front();
  const std::optional<int64_t> delta = in.values(2)->front().constant();
  if (!delta) return unsupported("delta is {}; only a constant is supported", in.values(2)->front().text());
  if (*delta == 0) return invalid_model("delta is 0");
  const DimExpr distance = *delta > 0 ? limit - start : start - limit;
  return ceil_div(never_negative(distance) ? distance : max(0, distance), std::abs(*delta));
}

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(3, 3));
  for (size_t i = 0; i < 3; ++i) {
    MEML_TRY_STATUS(in.expect_same_dtype(0, i));
    if (product(in.dims(i)).constant() != 1)
      return invalid_model("{} is {}, needs a scalar", input_name(i), in.type(i).text());
  }
  if (in.dtype(0) == DType::boolean) return invalid_model("the inputs are bool, need numbers");
  MEML_TRY(DimExpr length, length_of(in));
  return TensorTypes{{.dtype = in.dtype(0), .dims = {std::move(length)}}};
}

Result<Integers> values(const NoAttrs& attrs, const InferContext& in) {
  if (is_float(in.dtype(0))) return std::nullopt;
  MEML_TRY(const TensorTypes types, infer(attrs, in));
  const auto length = small_dims(types[0].dims);
  if (!length) return std::nullopt;
  std::vector<DimExpr> integers;
  for (int64_t i = 0; i < length->front(); ++i) integers.push_back(in.values(0)->front() + i * in.values(2)->front());
  return integers;
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  with_compute(in[0].dtype, [&](auto tag) {
    using C = decltype(tag);
    const C start = load<C>(in[0], 0), delta = load<C>(in[2], 0);
    for (int64_t i = 0; i < out[0].dim(0); ++i)
      store(out[0], i * out[0].stride(0), wrapping_add(start, wrapping_mul(static_cast<C>(i), delta)));
  });
}

}  // namespace

OpDef range() {
  return define_op<NoAttrs>(
      "Range",
      {.since_opset = 11, .infer = infer, .values = values, .reference = reference, .extent_inputs = always<2>});
}

}  // namespace memline::ops

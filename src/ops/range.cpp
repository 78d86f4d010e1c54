// Range: start, start + delta, ... before limit. Where shape arithmetic does not know the length it is a count, which
// only the user can bound.
#include <cmath>

#include "ops/op.h"
#include "ops/reference.h"
#include "ops/scalar_math.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

std::string_view input_name(size_t i) { return i == 0 ? "start" : i == 1 ? "limit" : "delta"; }

double length_between(double start, double limit, double delta) { return std::ceil((limit - start) / delta); }

// nullopt when only the data knows it.
Result<std::optional<DimExpr>> float_length(const InferContext& in) {
  double bounds[3];
  for (size_t i = 0; i < 3; ++i) {
    const TensorView* constant = in.constant(i);
    if (constant == nullptr) return std::nullopt;
    bounds[i] = load<double>(*constant, 0);
  }
  const auto [start, limit, delta] = bounds;
  const double length = length_between(start, limit, delta);
  constexpr double kMost = 1e12;
  if (!(std::abs(length) <= kMost)) return invalid_model("from {} to {} by {} has no length", start, limit, delta);
  return std::optional(DimExpr(static_cast<int64_t>(std::max(length, 0.0))));
}

Result<std::optional<DimExpr>> integer_length(const InferContext& in) {
  for (size_t i = 0; i < 3; ++i)
    if (in.values(i) == nullptr) return std::nullopt;
  const DimExpr &start = in.values(0)->front(), &limit = in.values(1)->front();
  const std::optional<int64_t> delta = in.values(2)->front().constant();
  if (!delta) return std::nullopt;
  if (*delta == 0) return invalid_model("delta is 0");
  const DimExpr distance = *delta > 0 ? limit - start : start - limit;
  return std::optional(ceil_div(never_negative(distance) ? distance : max(0, distance), std::abs(*delta)));
}

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(3, 3));
  for (size_t i = 0; i < 3; ++i) {
    MEML_TRY_STATUS(in.expect_same_dtype(0, i));
    if (product(in.dims(i)).constant() != 1)
      return invalid_model("{} is {}, needs a scalar", input_name(i), in.type(i).text());
  }
  if (in.dtype(0) == DType::boolean) return invalid_model("the inputs are bool, need numbers");
  auto length = is_float(in.dtype(0)) ? float_length(in) : integer_length(in);
  if (!length) return Failure(std::move(length).error());
  if (length->has_value()) return TensorTypes{{.dtype = in.dtype(0), .dims = {**std::move(length)}}};
  MEML_TRY(DimExpr count, in.limited_count("the length"));
  return TensorTypes{{.dtype = in.dtype(0), .dims = {std::move(count)}}};
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

// 0 where the length is no number.
template <typename C>
int64_t length_of(C start, C limit, C delta) {
  if constexpr (std::is_floating_point_v<C>) {
    const double length = length_between(start, limit, delta);
    return length > 0 && length < 1e18 ? static_cast<int64_t>(length) : 0;
  } else {
    if (delta == 0 || (delta > 0) != (limit > start) || limit == start) return 0;
    const bool up = delta > 0;
    const uint64_t distance = up ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                                 : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
    const uint64_t step = up ? static_cast<uint64_t>(delta) : 0 - static_cast<uint64_t>(delta);
    return static_cast<int64_t>((distance - 1) / step + 1);
  }
}

// Where the limit is absent, the output's extent says the length. What is longer than there is room for is not written.
void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  with_compute(in[0].dtype, [&](auto tag) {
    using C = decltype(tag);
    const C start = load<C>(in[0], 0), delta = load<C>(in[2], 0);
    const int64_t length = in[1].data == nullptr ? out[0].dim(0) : length_of(start, load<C>(in[1], 0), delta);
    for (int64_t i = 0; i < std::min(length, out[0].dim(0)); ++i)
      store(out[0], i * out[0].stride(0), wrapping_add(start, wrapping_mul(static_cast<C>(i), delta)));
    out[0].dims[0] = length;
  });
}

}  // namespace

OpDef range() {
  return define_op<NoAttrs>(
      "Range",
      {.since_opset = 11, .infer = infer, .values = values, .reference = reference, .extent_inputs = always<2>});
}

}  // namespace memline::ops

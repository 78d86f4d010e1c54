// Cast: y = x as another element type; CastLike: as the type of its second input.
//   * Floats round to nearest even. A float becomes an integer by truncation; outside the integer's range (undefined by
//     the standard) it stops at the range's ends, NaN gives 0. An integer becomes a narrower one by dropping high bits.
//   * To bool: whatever is not 0 is true, NaN too. From bool: 0 or 1.
//   * `saturate` speaks of 8-bit floats only, which we do not have.
#include "ops/cast.h"

#include <bit>
#include <cmath>

#include "ops/elementwise.h"
#include "ops/reference.h"
#include "ops/scalar_math.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

// A float that rounds to the same 16-bit float as x would: inexact results get their lowest bit set ("round to odd").
template <typename F>
float for_narrowing(F x) {
  const auto nearest = static_cast<float>(x);
  if (static_cast<F>(nearest) == x || std::isnan(nearest) || std::isinf(nearest)) return nearest;
  const bool away = std::abs(static_cast<F>(nearest)) > std::abs(x);
  const uint32_t towards_zero = std::bit_cast<uint32_t>(nearest) - (away ? 1 : 0);
  return std::bit_cast<float>(towards_zero | 1u);
}

// Holds every 64-bit integer and every double exactly.
using Wide = long double;

template <typename T, typename C>
T cast_element(C x) {
  constexpr bool kFromFloat = std::is_floating_point_v<C>;
  if constexpr (std::is_same_v<T, Bool>)
    return {static_cast<uint8_t>(x != 0)};
  else if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
    if constexpr (std::is_same_v<C, float>)
      return to_stored<T>(x);
    else
      return to_stored<T>(for_narrowing(static_cast<Wide>(x)));
  } else if constexpr (std::is_integral_v<T> && kFromFloat)
    return saturating_trunc<T>(x);
  else
    return static_cast<T>(x);
}

void cast(std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView& from = in[0];
  const TensorView& to = out[0];
  with_compute(from.dtype, [&](auto source) {
    with_dtype(to.dtype, [&](auto target) {
      using T = decltype(target);
      walk_broadcast(
          to, [&](const auto& at) { to.as<T>()[at[0]] = cast_element<T>(load<decltype(source)>(from, at[1])); }, from);
    });
  });
}

bool tracks_integers(DType dtype) { return dtype == DType::i64 || dtype == DType::i32 || dtype == DType::boolean; }

// A float as an integer. One that was an integer before is that again where f32 held it exactly.
DimExpr truncated(const InferContext& in, const FloatExpr& x) {
  constexpr int64_t kExact = 1 << 24;
  const auto integer = x.integer();
  if (integer && in.bound(*integer) <= kExact && in.bound(0 - *integer) <= kExact) return *integer;
  return trunc(x);
}

// Between the integer types that sizes come in a cast changes nothing; to bool it asks whether the integer is 0.
Integers cast_integers(const InferContext& in, DType to) {
  if (in.reals(0) != nullptr && (to == DType::i64 || to == DType::i32)) {
    std::vector<DimExpr> integers;
    for (const FloatExpr& x : *in.reals(0)) integers.push_back(truncated(in, x));
    return integers;
  }
  if (!tracks_integers(in.dtype(0)) || !tracks_integers(to) || in.values(0) == nullptr) return std::nullopt;
  std::vector<DimExpr> integers = *in.values(0);
  if (to == DType::boolean && in.dtype(0) != to)
    for (DimExpr& x : integers) x = 1 - equal(x, 0);
  return integers;
}

Reals cast_reals(const InferContext& in) {
  if (in.reals(0) != nullptr) return *in.reals(0);
  if (!tracks_integers(in.dtype(0)) || in.values(0) == nullptr) return std::nullopt;
  std::vector<FloatExpr> reals;
  for (const DimExpr& x : *in.values(0)) reals.emplace_back(x);
  return reals;
}

Result<CastAttrs> import(AttrReader& reader, int) {
  CastAttrs attrs;
  MEML_TRY(const std::optional<int64_t> to, reader.find_int("to"));
  if (!to) return invalid_model("attribute 'to' is missing");
  MEML_TRY_STATUS(detail::read_field(reader, "to", attrs.to));
  return attrs;
}

Result<TensorTypes> infer(const CastAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  return TensorTypes{{.dtype = attrs.to, .dims = in.dims(0)}};
}
Result<Integers> values(const CastAttrs& attrs, const InferContext& in) { return cast_integers(in, attrs.to); }
Result<Reals> reals(const CastAttrs&, const InferContext& in) { return cast_reals(in); }
void reference(const CastAttrs&, std::span<const TensorView> in, std::span<TensorView> out) { cast(in, out); }

Result<TensorTypes> infer_like(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  return TensorTypes{{.dtype = in.dtype(1), .dims = in.dims(0)}};
}
Result<Integers> values_like(const NoAttrs&, const InferContext& in) { return cast_integers(in, in.dtype(1)); }
Result<Reals> reals_like(const NoAttrs&, const InferContext& in) { return cast_reals(in); }
void reference_like(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) { cast(in, out); }

// Of the second input only the type matters.
template <typename A>
std::vector<RowNeed> rows(const A&, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  needs[0] = {.all = false, .axis = axis, .rows = range};
  return needs;
}

}  // namespace

OpDef cast() {
  return define_op<CastAttrs>("Cast", {.since_opset = 6,
                                       .import = import,
                                       .infer = infer,
                                       .values = values,
                                       .reals = reals,
                                       .reference = reference,
                                       .rows = rows<CastAttrs>});
}

OpDef cast_like() {
  return define_op<NoAttrs>("CastLike", {.since_opset = 15,
                                         .infer = infer_like,
                                         .values = values_like,
                                         .reals = reals_like,
                                         .reference = reference_like,
                                         .rows = rows<NoAttrs>});
}

}  // namespace memline::ops

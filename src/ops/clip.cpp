// Clip: y = Min(max, Max(x, min)), elementwise; crossed bounds give max everywhere. Inputs x, min?, max? (scalars):
// before opset 11 the bounds are attributes. An absent bound is the lowest or highest finite value of x's dtype, so
// -inf becomes lowest() (ONNX's text).
#include <limits>

#include "ops/elementwise.h"
#include "ops/reference.h"
#include "ops/scalar_math.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

Result<NoAttrs> import(AttrReader& reader, int opset) {
  if (opset >= 11) return NoAttrs{};
  MEML_TRY(const std::optional<float> low, reader.find_float("min"));
  MEML_TRY(const std::optional<float> high, reader.find_float("max"));
  if (low) reader.set_f32_input(1, *low);
  if (high) reader.set_f32_input(2, *high);
  return NoAttrs{};
}

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 3));
  MEML_TRY_STATUS(expect_accepted(in, 0, Accepts::numbers));
  for (size_t i = 1; i < in.size(); ++i) {
    if (!in.has(i)) continue;
    // A bound that was an attribute is f32 whatever float x is.
    const bool was_attribute = in.dtype(i) == DType::f32 && is_float(in.dtype(0));
    if (!was_attribute) MEML_TRY_STATUS(in.expect_same_dtype(0, i));
    // The text asks for a scalar; [1] is in common use.
    if (product(in.dims(i)).constant() != 1)
      return invalid_model("input {} is {}, needs a scalar", i, in.type(i).text());
  }
  return TensorTypes{in.type(0)};
}

// The ends of the finite values of `dtype`, as the type to compute in.
template <typename C>
std::pair<C, C> finite_range(DType dtype) {
  return with_dtype(dtype, [](auto tag) -> std::pair<C, C> {
    using T = decltype(tag);
    if constexpr (std::is_same_v<T, F16>)
      return {C(-65504), C(65504)};
    else if constexpr (std::is_same_v<T, BF16>)
      return {C(-0x1.fep127), C(0x1.fep127)};
    else if constexpr (std::is_same_v<T, Bool>)
      return {C(0), C(1)};
    else
      return {static_cast<C>(std::numeric_limits<T>::lowest()), static_cast<C>(std::numeric_limits<T>::max())};
  });
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  with_compute(in[0].dtype, [&](auto tag) {
    using C = decltype(tag);
    const auto range = finite_range<C>(in[0].dtype);  // (clang captures no structured bindings)
    C low = range.first, high = range.second;
    if (in.size() > 1 && in[1].data != nullptr) low = load<C>(in[1], 0);
    if (in.size() > 2 && in[2].data != nullptr) high = load<C>(in[2], 0);
    map<C>(in[0], out[0], [&](C x) { return nan_min(high, nan_max(x, low)); });
  });
}

Result<Integers> values(const NoAttrs&, const InferContext& in) {
  if (in.size() != 3 || !in.has(1) || !in.has(2) || (in.dtype(0) != DType::i64 && in.dtype(0) != DType::i32))
    return std::nullopt;
  return elementwise_integers(in, [](std::span<const DimExpr> x) { return std::optional(min(x[2], max(x[0], x[1]))); });
}

std::vector<RowNeed> rows(const NoAttrs&, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  needs[0] = {.all = false, .axis = axis, .rows = range};
  return needs;
}

}  // namespace

OpDef clip() {
  return define_op<NoAttrs>(
      "Clip",
      {.since_opset = 6, .import = import, .infer = infer, .values = values, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

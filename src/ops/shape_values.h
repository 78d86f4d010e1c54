// Shape arithmetic: the integers of small tensors as DimExprs, so that a dynamic model's shape computations leave the
// graph. An op that only moves elements gets its `values` from its own reference, run on element numbers instead of
// elements.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ops/op.h"

namespace memline::ops {

using Integers = std::optional<std::vector<DimExpr>>;
using Reals = std::optional<std::vector<FloatExpr>>;

inline constexpr int64_t kMaxIntegers = 64;

// The dims as numbers; nullopt when one is not, or when they hold more than kMaxIntegers elements.
std::optional<std::vector<int64_t>> small_dims(const std::vector<DimExpr>& dims);

// Whether the expression is >= 0 whatever the slots are (slots themselves are).
bool never_negative(const DimExpr& expression);

// The integers of the first output of an op that copies elements of the inputs whose bits are set in `moved`, or writes
// 0. The other inputs have to be constants.
using Reference = std::function<void(std::span<const TensorView> in, std::span<TensorView> out)>;
Integers moved_integers(const InferContext& in, const std::vector<DimExpr>& out_dims, uint64_t moved,
                        const Reference& reference);

// The same as an op's `values`: .values = integers_by_moving<infer, reference, 1>.
template <auto infer, auto reference, uint64_t moved, typename A>
Result<Integers> integers_by_moving(const A& attrs, const InferContext& in) {
  for (size_t i = 0; i < in.size(); ++i)
    if ((moved >> i & 1) != 0 && in.values(i) == nullptr) return std::nullopt;
  MEML_TRY(const TensorTypes types, infer(attrs, in));
  return moved_integers(in, types[0].dims, moved, [&](std::span<const TensorView> from, std::span<TensorView> to) {
    reference(attrs, from, to);
  });
}

// The integers of an elementwise op: f gets one integer of each input, broadcast. nullopt from f means that it has no
// expression.
using ElementRule = std::function<std::optional<DimExpr>(std::span<const DimExpr>)>;
Integers elementwise_integers(const InferContext& in, const ElementRule& f);

// The same in f32.
using RealRule = std::function<FloatExpr(std::span<const FloatExpr>)>;
Reals elementwise_reals(const InferContext& in, const RealRule& f);

// f over all inputs, from the first to the last, as an op's `reals`.
template <FloatExpr (*f)(const FloatExpr& a, const FloatExpr& b)>
Result<Reals> reals_of(const Attrs&, const InferContext& in) {
  return elementwise_reals(in, [](std::span<const FloatExpr> x) {
    FloatExpr result = x[0];
    for (const FloatExpr& next : x.subspan(1)) result = f(result, next);
    return result;
  });
}

}  // namespace memline::ops

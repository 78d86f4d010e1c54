// The elementwise ops on any number of inputs, broadcast together: Max, Min, Mean, Sum. NaN survives Max and Min; sums
// are taken in the order of the inputs and rounded once.
#include "ops/elementwise.h"
#include "ops/reference.h"
#include "ops/scalar_math.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

template <Accepts kAccepts>
Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, SIZE_MAX));
  MEML_TRY_STATUS(expect_alike(in, kAccepts));
  MEML_TRY(std::vector<DimExpr> dims, broadcast_inputs(in));
  return TensorTypes{{.dtype = in.dtype(0), .dims = std::move(dims)}};
}

// The element of `view`, broadcast, at each index of `out`; one at a time, so that any number of inputs needs no
// memory.
template <typename C>
C load_at(const TensorView& view, const TensorView& out, int64_t flat) {
  int64_t offset = 0;
  const Extents strides = broadcast_strides(view, out);
  for (int axis = out.rank - 1; axis >= 0; --axis) {
    offset += flat % out.dim(axis) * strides[static_cast<size_t>(axis)];
    flat /= out.dim(axis);
  }
  return load<C>(view, offset);
}

// finish(combine(...combine(in0, in1)..., inN), N + 1).
template <auto combine, auto finish>
void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  with_compute(in[0].dtype, [&](auto tag) {
    using C = decltype(tag);
    int64_t flat = 0;
    walk_broadcast(
        out[0],
        [&](const auto& at) {
          C result = load<C>(in[0], at[1]);
          for (size_t i = 1; i < in.size(); ++i) result = combine(result, load_at<C>(in[i], out[0], flat));
          store(out[0], at[0], finish(result, in.size()));
          ++flat;
        },
        in[0]);
  });
}

constexpr auto as_it_is = [](auto x, size_t) { return x; };
constexpr auto mean = [](auto x, size_t n) { return x / static_cast<decltype(x)>(n); };

template <Accepts kAccepts, auto combine, auto finish = as_it_is>
OpDef variadic(std::string_view name) {
  return define_op<NoAttrs>(name, {.since_opset = 6,
                                   .infer = infer<kAccepts>,
                                   .reference = reference<combine, finish>,
                                   .rows = rows_by_element<NoAttrs>});
}

template <auto combine>
OpDef with_integers(OpDef op) {
  op.values = [](const Attrs&, const InferContext& in) -> Result<Integers> {
    if (in.dtype(0) != DType::i64 && in.dtype(0) != DType::i32) return std::nullopt;
    return elementwise_integers(in, [](std::span<const DimExpr> x) -> std::optional<DimExpr> {
      DimExpr result = x[0];
      for (const DimExpr& next : x.subspan(1)) result = combine(result, next);
      return result;
    });
  };
  return op;
}

// NaN apart, which an extent is not.
FloatExpr larger(const FloatExpr& a, const FloatExpr& b) { return max(a, b); }
FloatExpr smaller(const FloatExpr& a, const FloatExpr& b) { return min(a, b); }
FloatExpr added(const FloatExpr& a, const FloatExpr& b) { return a + b; }

template <FloatExpr (*rule)(const FloatExpr& a, const FloatExpr& b)>
OpDef with_reals(OpDef op) {
  op.reals = reals_of<rule>;
  return op;
}

}  // namespace

std::vector<OpDef> variadic_ops() {
  return {
      with_reals<larger>(with_integers<[](const DimExpr& a, const DimExpr& b) { return max(a, b); }>(
          variadic<Accepts::numbers, [](auto a, auto b) { return nan_max(a, b); }>("Max"))),
      variadic<Accepts::floats, [](auto a, auto b) { return a + b; }, mean>("Mean"),
      with_reals<smaller>(with_integers<[](const DimExpr& a, const DimExpr& b) { return min(a, b); }>(
          variadic<Accepts::numbers, [](auto a, auto b) { return nan_min(a, b); }>("Min"))),
      with_reals<added>(variadic<Accepts::floats, [](auto a, auto b) { return a + b; }>("Sum")),
  };
}

}  // namespace memline::ops

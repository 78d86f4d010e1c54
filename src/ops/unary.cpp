// The unary elementwise ops: y[i] = f(x[i]), one line each in unary_ops(). f32 and the 16-bit floats are computed in
// float, f64 in double, integers in 64 bits. Formulas are ONNX's, written so that large arguments neither overflow nor
// lose their sign.
#include "ops/unary.h"

#include <cmath>
#include <numbers>

#include "ops/elementwise.h"
#include "ops/reference.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

template <Accepts kAccepts, typename A>
Result<TensorTypes> infer(const A&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  MEML_TRY_STATUS(expect_accepted(in, 0, kAccepts));
  return TensorTypes{in.type(0)};
}

template <Accepts kAccepts, typename A>
Result<TensorTypes> infer_bool(const A& attrs, const InferContext& in) {
  MEML_TRY(TensorTypes types, (infer<kAccepts, A>(attrs, in)));
  types[0].dtype = DType::boolean;
  return types;
}

// One walk for all ops, through a function pointer: 40 ops times four types of inlined walks would take a minute to
// compile.
template <typename C>
using Scalar = C (*)(C x, const void* attrs);

template <typename C>
[[gnu::noinline]] void apply(const TensorView& in, const TensorView& out, Scalar<C> f, const void* attrs) {
  map<C>(in, out, [=](C x) { return f(x, attrs); });
}

// f(x) or f(x, attrs) for each element. Only ops that accept integers are compiled for them.
template <Accepts kAccepts, auto f, typename A>
void reference(const A& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  with_compute(in[0].dtype, [&](auto tag) {
    using C = decltype(tag);
    if constexpr (kAccepts != Accepts::floats || std::is_floating_point_v<C>) {
      const Scalar<C> scalar = [](C x, const void* a) -> C {
        if constexpr (std::is_invocable_v<decltype(f), C, const A&>)
          return static_cast<C>(f(x, *static_cast<const A*>(a)));
        else
          return static_cast<C>(f(x));
      };
      apply(in[0], out[0], scalar, &attrs);
    }
  });
}

template <Accepts kAccepts, auto f, typename A = NoAttrs>
OpFunctions<A> functions(int since_opset) {
  return {.since_opset = since_opset,
          .infer = infer<kAccepts, A>,
          .reference = reference<kAccepts, f, A>,
          .rows = rows_by_element<A>};
}

template <auto f, typename A = NoAttrs>
OpDef floats(std::string_view name, int since_opset) {
  return define_op(name, functions<Accepts::floats, f, A>(since_opset));
}

template <Accepts kAccepts, auto f>
OpDef numbers(std::string_view name, int since_opset) {
  return define_op(name, functions<kAccepts, f>(since_opset));
}

template <Accepts kAccepts, auto f, typename A = NoAttrs>
OpDef test(std::string_view name, int since_opset) {
  OpFunctions<A> op = functions<kAccepts, f, A>(since_opset);
  op.infer = infer_bool<kAccepts, A>;
  return define_op(name, op);
}

// The rule for integers, for ops through which shape arithmetic passes.
template <auto rule>
OpDef with_integers(OpDef op) {
  op.values = [](const Attrs&, const InferContext& in) -> Result<Integers> {
    if (in.dtype(0) != DType::i64 && in.dtype(0) != DType::i32 && in.dtype(0) != DType::boolean) return std::nullopt;
    return elementwise_integers(in, [](std::span<const DimExpr> x) { return std::optional<DimExpr>(rule(x[0])); });
  };
  return op;
}

template <FloatExpr (*rule)(const FloatExpr& x)>
OpDef with_reals(OpDef op) {
  op.reals = [](const Attrs&, const InferContext& in) {
    return Result<Reals>(elementwise_reals(in, [](std::span<const FloatExpr> x) { return rule(x[0]); }));
  };
  return op;
}
FloatExpr real_floor(const FloatExpr& x) { return FloatExpr(floor(x)); }
FloatExpr real_ceil(const FloatExpr& x) { return FloatExpr(ceil(x)); }
FloatExpr real_round(const FloatExpr& x) { return FloatExpr(round_half_even(x)); }
FloatExpr real_reciprocal(const FloatExpr& x) { return 1.0f / x; }

constexpr auto relu = [](auto x) { return x < 0 ? decltype(x)(0) : x; };
constexpr auto sign = [](auto x) {
  return std::is_floating_point_v<decltype(x)> && x != x ? x : decltype(x)((x > 0) - (x < 0));
};
constexpr auto abs_value = [](auto x) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return std::abs(x);
  else
    return decltype(x)(x < 0 ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x));
};
constexpr auto negated = [](auto x) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return -x;
  else
    return decltype(x)(0 - static_cast<uint64_t>(x));
};
constexpr auto inverted = [](auto x) { return static_cast<decltype(x)>(~static_cast<uint64_t>(x)); };
constexpr auto erf = [](auto x) { return decltype(x)(std::erf(x)); };
constexpr auto sigmoid = [](auto x) {
  const auto e = std::exp(-std::abs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
};
constexpr auto softplus = [](auto x) { return std::max(x, decltype(x)(0)) + std::log1p(std::exp(-std::abs(x))); };
constexpr auto clip01 = [](auto x) { return x < 0 ? decltype(x)(0) : x > 1 ? decltype(x)(1) : x; };

constexpr auto gelu = [](auto x, const GeluAttrs& attrs) {
  using T = decltype(x);
  if (attrs.approximate != "tanh") return x / 2 * (1 + std::erf(x * T(1 / std::numbers::sqrt2)));
  const T inner = T(std::numbers::sqrt2 * std::numbers::inv_sqrtpi) * (x + T(0.044715) * x * x * x);
  return x / 2 * (1 + std::tanh(inner));
};

Result<TensorTypes> infer_gelu(const GeluAttrs& attrs, const InferContext& in) {
  if (attrs.approximate != "none" && attrs.approximate != "tanh")
    return invalid_model("approximate is '{}', needs 'none' or 'tanh'", attrs.approximate);
  return infer<Accepts::floats>(attrs, in);
}

// Ours: what x * Sigmoid(x) is called once a pass has found it. No model file names it.
OpDef silu_op() {
  OpFunctions<NoAttrs> op = functions<Accepts::floats, [](auto x) { return x * sigmoid(x); }>(1);
  op.domain = "memline";
  return define_op("Silu", op);
}

OpDef gelu_op() {
  OpFunctions<GeluAttrs> op = functions<Accepts::floats, gelu, GeluAttrs>(20);
  op.infer = infer_gelu;
  return define_op("Gelu", op);
}

constexpr auto is_inf = [](auto x, const IsInfAttrs& attrs) {
  return std::isinf(x) && (x < 0 ? attrs.detect_negative : attrs.detect_positive);
};
constexpr auto celu = [](auto x, const CeluAttrs& a) { return x > 0 ? x : a.alpha * std::expm1(x / a.alpha); };
constexpr auto selu = [](auto x, const SeluAttrs& a) { return a.gamma * (x > 0 ? x : a.alpha * std::expm1(x)); };
constexpr auto thresholded_relu = [](auto x, const ThresholdedReluAttrs& a) {
  return x > a.alpha ? x : decltype(x)(0);
};

}  // namespace

std::vector<OpDef> unary_ops() {
  return {
      with_integers<[](const DimExpr& x) { return select(less(x, 0), 0 - x, x); }>(
          numbers<Accepts::numbers, abs_value>("Abs", 6)),
      floats<[](auto x) { return std::acos(x); }>("Acos", 7),
      floats<[](auto x) { return std::asin(x); }>("Asin", 7),
      floats<[](auto x) { return std::atan(x); }>("Atan", 7),
      numbers<Accepts::integers, inverted>("BitwiseNot", 18),
      with_reals<real_ceil>(floats<[](auto x) { return std::ceil(x); }>("Ceil", 6)),
      floats<celu, CeluAttrs>("Celu", 12),
      floats<[](auto x) { return std::cos(x); }>("Cos", 7),
      floats<[](auto x) { return std::cosh(x); }>("Cosh", 9),
      floats<[](auto x, const EluAttrs& a) { return x < 0 ? a.alpha * std::expm1(x) : x; }, EluAttrs>("Elu", 6),
      numbers<Accepts::numbers, erf>("Erf", 9),
      floats<[](auto x) { return std::exp(x); }>("Exp", 6),
      with_reals<real_floor>(floats<[](auto x) { return std::floor(x); }>("Floor", 6)),
      gelu_op(),
      floats<[](auto x, const HardSigmoidAttrs& a) { return clip01(a.alpha * x + a.beta); }, HardSigmoidAttrs>(
          "HardSigmoid", 6),
      floats<[](auto x) { return x * clip01(x / 6 + decltype(x)(0.5)); }>("HardSwish", 14),
      test<Accepts::floats, is_inf, IsInfAttrs>("IsInf", 10),
      test<Accepts::floats, [](auto x) { return std::isnan(x); }>("IsNaN", 9),
      floats<[](auto x, const LeakyReluAttrs& a) { return x < 0 ? a.alpha * x : x; }, LeakyReluAttrs>("LeakyRelu", 6),
      floats<[](auto x) { return std::log(x); }>("Log", 6),
      floats<[](auto x) { return x * std::tanh(softplus(x)); }>("Mish", 18),
      with_integers<[](const DimExpr& x) { return 0 - x; }>(numbers<Accepts::signed_numbers, negated>("Neg", 6)),
      with_integers<[](const DimExpr& x) { return equal(x, 0); }>(
          test<Accepts::booleans, [](auto x) { return x == 0; }>("Not", 1)),
      with_reals<real_reciprocal>(floats<[](auto x) { return 1 / x; }>("Reciprocal", 6)),
      numbers<Accepts::signed_numbers, relu>("Relu", 6),
      with_reals<real_round>(
          floats<[](auto x) { return std::nearbyint(x); }>("Round", 11)),  // halves to even, as the rounding mode is
      floats<selu, SeluAttrs>("Selu", 6),
      floats<sigmoid>("Sigmoid", 6),
      silu_op(),
      numbers<Accepts::numbers, sign>("Sign", 9),
      floats<[](auto x) { return std::sin(x); }>("Sin", 7),
      floats<[](auto x) { return std::sinh(x); }>("Sinh", 9),
      floats<softplus>("Softplus", 1),
      floats<[](auto x) { return x / (1 + std::abs(x)); }>("Softsign", 1),
      floats<[](auto x) { return std::sqrt(x); }>("Sqrt", 6),
      floats<[](auto x) { return std::tan(x); }>("Tan", 7),
      floats<[](auto x) { return std::tanh(x); }>("Tanh", 6),
      floats<thresholded_relu, ThresholdedReluAttrs>("ThresholdedRelu", 10),
  };
}

}  // namespace memline::ops

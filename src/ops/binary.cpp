// The elementwise ops on two inputs, broadcast together: one line each in binary_ops(). Both inputs have one dtype;
// comparisons give bool. Computed in float for f32 and the 16-bit floats, double for f64, 64 bits for integers, which
// wrap.
#include "ops/binary.h"

#include "ops/elementwise.h"
#include "ops/reference.h"
#include "ops/scalar_math.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

template <Accepts kAccepts, typename A>
Result<TensorTypes> infer(const A&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY_STATUS(expect_alike(in, kAccepts));
  MEML_TRY(std::vector<DimExpr> dims, broadcast_inputs(in));
  return TensorTypes{{.dtype = in.dtype(0), .dims = std::move(dims)}};
}

template <Accepts kAccepts>
Result<TensorTypes> infer_bool(const NoAttrs& attrs, const InferContext& in) {
  MEML_TRY(TensorTypes types, (infer<kAccepts, NoAttrs>(attrs, in)));
  types[0].dtype = DType::boolean;
  return types;
}

// One walk for all ops, through a function pointer, so that an op adds a scalar function and not four inlined walks.
template <typename C>
using Scalar = C (*)(C a, C b, const void* attrs);

template <typename C>
[[gnu::noinline]] void apply(const TensorView& a, const TensorView& b, const TensorView& out, Scalar<C> f,
                             const void* attrs) {
  zip<C>(a, b, out, [=](C x, C y) { return f(x, y, attrs); });
}

template <auto f, typename A, typename C>
C scalar(C a, C b, const void* attrs) {
  if constexpr (std::is_invocable_v<decltype(f), C, C, const A&>)
    return static_cast<C>(f(a, b, *static_cast<const A*>(attrs)));
  else
    return static_cast<C>(f(a, b));
}

template <auto f, typename A>
void reference(const A& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  with_compute(in[0].dtype,
               [&](auto tag) { apply<decltype(tag)>(in[0], in[1], out[0], scalar<f, A, decltype(tag)>, &attrs); });
}

// Bits of integers, signed ones extended to 64 bits.
template <auto f, typename A>
void bit_reference(const A& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  if (in[0].dtype == DType::u64)
    apply<uint64_t>(in[0], in[1], out[0], scalar<f, A, uint64_t>, &attrs);
  else
    apply<int64_t>(in[0], in[1], out[0], scalar<f, A, int64_t>, &attrs);
}

template <Accepts kAccepts, auto f, typename A = NoAttrs>
OpFunctions<A> functions(int since_opset) {
  return {.since_opset = since_opset,
          .infer = infer<kAccepts, A>,
          .reference = reference<f, A>,
          .rows = rows_by_element<A>};
}

template <auto f>
OpDef arithmetic(std::string_view name, int since_opset) {
  return define_op(name, functions<Accepts::numbers, f>(since_opset));
}

template <Accepts kAccepts, auto f>
OpDef comparison(std::string_view name, int since_opset) {
  OpFunctions<NoAttrs> op = functions<kAccepts, f>(since_opset);
  op.infer = infer_bool<kAccepts>;
  return define_op(name, op);
}

template <auto f>
OpDef bits(std::string_view name, int since_opset) {
  return define_op<NoAttrs>(name, {.since_opset = since_opset,
                                   .infer = infer<Accepts::integers, NoAttrs>,
                                   .reference = bit_reference<f, NoAttrs>,
                                   .rows = rows_by_element<NoAttrs>});
}

using IntegerRule = std::optional<DimExpr> (*)(const DimExpr& a, const DimExpr& b);

template <IntegerRule rule>
Result<Integers> integers(const Attrs&, const InferContext& in) {
  if (in.dtype(0) != DType::i64 && in.dtype(0) != DType::i32 && in.dtype(0) != DType::boolean) return std::nullopt;
  return elementwise_integers(in, [](std::span<const DimExpr> x) { return rule(x[0], x[1]); });
}

template <IntegerRule rule>
OpDef with_integers(OpDef op) {
  op.values = integers<rule>;
  return op;
}

template <FloatExpr (*rule)(const FloatExpr& a, const FloatExpr& b)>
OpDef with_reals(OpDef op) {
  op.reals = reals_of<rule>;
  return op;
}
FloatExpr real_sum(const FloatExpr& a, const FloatExpr& b) { return a + b; }
FloatExpr real_difference(const FloatExpr& a, const FloatExpr& b) { return a - b; }
FloatExpr real_product(const FloatExpr& a, const FloatExpr& b) { return a * b; }
FloatExpr real_quotient(const FloatExpr& a, const FloatExpr& b) { return a / b; }

// floor_div rounds down; Div rounds towards zero.
std::optional<DimExpr> truncated_quotient(const DimExpr& a, const DimExpr& b) {
  if (a.is_constant() && b.is_constant()) return divide(*a.constant(), *b.constant());
  if (!never_negative(b)) return std::nullopt;
  if (never_negative(a)) return floor_div(a, b);
  return select(less(a, 0), 0 - floor_div(0 - a, b), floor_div(a, b));
}

using Rule = std::optional<DimExpr>;
constexpr IntegerRule sum = [](const DimExpr& a, const DimExpr& b) -> Rule { return a + b; };
constexpr IntegerRule difference = [](const DimExpr& a, const DimExpr& b) -> Rule { return a - b; };
constexpr IntegerRule times = [](const DimExpr& a, const DimExpr& b) -> Rule { return a * b; };
constexpr IntegerRule same = [](const DimExpr& a, const DimExpr& b) -> Rule { return equal(a, b); };
constexpr IntegerRule below = [](const DimExpr& a, const DimExpr& b) -> Rule { return less(a, b); };
constexpr IntegerRule above = [](const DimExpr& a, const DimExpr& b) -> Rule { return less(b, a); };
constexpr IntegerRule not_above = [](const DimExpr& a, const DimExpr& b) -> Rule { return 1 - less(b, a); };
constexpr IntegerRule not_below = [](const DimExpr& a, const DimExpr& b) -> Rule { return 1 - less(a, b); };
constexpr IntegerRule both = [](const DimExpr& a, const DimExpr& b) -> Rule { return min(a, b); };
constexpr IntegerRule either = [](const DimExpr& a, const DimExpr& b) -> Rule { return max(a, b); };

constexpr auto remainder = [](auto a, auto b, const ModAttrs& attrs) {
  if (attrs.fmod) return remainder_like_dividend(a, b);
  return remainder_like_divisor(a, b);
};

Result<Integers> mod_integers(const ModAttrs& attrs, const InferContext& in) {
  if (in.dtype(0) != DType::i64 && in.dtype(0) != DType::i32) return std::nullopt;
  return elementwise_integers(in, [&](std::span<const DimExpr> x) -> Rule {
    if (attrs.fmod && !(never_negative(x[0]) && never_negative(x[1]))) return std::nullopt;
    return mod(x[0], x[1]);
  });
}

OpDef mod_op() {
  OpFunctions<ModAttrs> op = functions<Accepts::numbers, remainder, ModAttrs>(10);
  op.values = mod_integers;
  return define_op("Mod", op);
}

// Bits that leave are lost. Right shifts copy the sign; a negative shift, or one by the width or more, leaves only
// that.
constexpr auto shift = [](auto a, auto n, const BitShiftAttrs& attrs) {
  using T = decltype(a);
  const bool outside = n < 0 || n >= 64;
  if (attrs.direction == "LEFT") return outside ? T(0) : static_cast<T>(static_cast<uint64_t>(a) << n);
  if (outside) return a < 0 ? static_cast<T>(-1) : T(0);
  return static_cast<T>(a >> n);
};

Result<TensorTypes> infer_shift(const BitShiftAttrs& attrs, const InferContext& in) {
  if (attrs.direction != "LEFT" && attrs.direction != "RIGHT")
    return invalid_model("direction is '{}', needs 'LEFT' or 'RIGHT'", attrs.direction);
  return infer<Accepts::integers>(attrs, in);
}

OpDef bit_shift_op() {
  return define_op<BitShiftAttrs>("BitShift", {.since_opset = 11,
                                               .infer = infer_shift,
                                               .reference = bit_reference<shift, BitShiftAttrs>,
                                               .rows = rows_by_element<BitShiftAttrs>});
}

// The exponent may have another dtype; the result has the base's.
Result<TensorTypes> infer_pow(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY_STATUS(expect_accepted(in, 0, Accepts::numbers));
  MEML_TRY_STATUS(expect_accepted(in, 1, Accepts::numbers));
  MEML_TRY(std::vector<DimExpr> dims, broadcast_inputs(in));
  return TensorTypes{{.dtype = in.dtype(0), .dims = std::move(dims)}};
}

void pow_reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  const bool integer_exponent = !is_float(in[1].dtype);
  with_compute(in[0].dtype, [&](auto tag) {
    using C = decltype(tag);
    walk_broadcast(
        out[0],
        [&](const auto& at) {
          const C base = load<C>(in[0], at[1]);
          C power;
          if constexpr (std::is_floating_point_v<C>) {
            power = static_cast<C>(std::pow(static_cast<double>(base), load<double>(in[1], at[2])));
          } else if (integer_exponent) {
            power = integer_power(base, load<int64_t>(in[1], at[2]));
          } else {
            power = saturating_trunc<C>(std::pow(static_cast<double>(base), load<double>(in[1], at[2])));
          }
          store(out[0], at[0], power);
        },
        in[0], in[1]);
  });
}

OpDef pow_op() {
  return define_op<NoAttrs>(
      "Pow", {.since_opset = 7, .infer = infer_pow, .reference = pow_reference, .rows = rows_by_element<NoAttrs>});
}

}  // namespace

std::vector<OpDef> binary_ops() {
  return {
      with_reals<real_sum>(with_integers<sum>(arithmetic<[](auto a, auto b) { return wrapping_add(a, b); }>("Add", 7))),
      with_integers<both>(comparison<Accepts::booleans, [](auto a, auto b) { return a != 0 && b != 0; }>("And", 7)),
      bit_shift_op(),
      bits<[](auto a, auto b) { return a & b; }>("BitwiseAnd", 18),
      bits<[](auto a, auto b) { return a | b; }>("BitwiseOr", 18),
      bits<[](auto a, auto b) { return a ^ b; }>("BitwiseXor", 18),
      with_reals<real_quotient>(
          with_integers<truncated_quotient>(arithmetic<[](auto a, auto b) { return divide(a, b); }>("Div", 7))),
      with_integers<same>(comparison<Accepts::anything, [](auto a, auto b) { return a == b; }>("Equal", 7)),
      with_integers<above>(comparison<Accepts::numbers, [](auto a, auto b) { return b < a; }>("Greater", 7)),
      with_integers<not_below>(
          comparison<Accepts::numbers, [](auto a, auto b) { return b <= a; }>("GreaterOrEqual", 12)),
      with_integers<below>(comparison<Accepts::numbers, [](auto a, auto b) { return a < b; }>("Less", 7)),
      with_integers<not_above>(comparison<Accepts::numbers, [](auto a, auto b) { return a <= b; }>("LessOrEqual", 12)),
      mod_op(),
      with_reals<real_product>(
          with_integers<times>(arithmetic<[](auto a, auto b) { return wrapping_mul(a, b); }>("Mul", 7))),
      with_integers<either>(comparison<Accepts::booleans, [](auto a, auto b) { return a != 0 || b != 0; }>("Or", 7)),
      pow_op(),
      with_reals<real_difference>(
          with_integers<difference>(arithmetic<[](auto a, auto b) { return wrapping_sub(a, b); }>("Sub", 7))),
      comparison<Accepts::booleans, [](auto a, auto b) { return (a != 0) != (b != 0); }>("Xor", 7),
  };
}

}  // namespace memline::ops

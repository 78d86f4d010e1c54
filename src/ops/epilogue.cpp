#include "ops/epilogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "tensor/half.h"

namespace memline::ops {
namespace {

struct KindText {
  std::string_view name;
  int floats;  // how many of a, b it prints
};
// In the order of EpilogueKind.
constexpr std::array<KindText, 15> kKinds = {{{"bias", 0},
                                              {"add", 0},
                                              {"mul", 0},
                                              {"relu", 0},
                                              {"leaky_relu", 1},
                                              {"clip", 2},
                                              {"sigmoid", 0},
                                              {"silu", 0},
                                              {"hard_sigmoid", 2},
                                              {"hard_swish", 0},
                                              {"tanh", 0},
                                              {"gelu", 0},
                                              {"gelu_tanh", 0},
                                              {"mish", 0},
                                              {"affine", 2}}};
static_assert(kKinds.size() == static_cast<size_t>(EpilogueKind::affine) + 1);

const KindText& kind_text(EpilogueKind kind) { return kKinds[static_cast<size_t>(kind)]; }

template <typename T>
bool parse_number(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end;
}

float load(const TensorView& view, int64_t offset) {
  switch (view.dtype) {
    case DType::f16:
      return f16_to_f32(view.as<const uint16_t>()[offset]);
    case DType::bf16:
      return bf16_to_f32(view.as<const uint16_t>()[offset]);
    case DType::f64:
      return static_cast<float>(view.as<const double>()[offset]);
    default:
      return view.as<const float>()[offset];
  }
}

using Strides = std::array<int64_t, kMaxRank>;

// Strides for reading `operand` as if it had the shape of `to`: 0 on every axis it is repeated along.
Strides broadcast_strides(const TensorView& operand, const TensorView& to) {
  Strides strides{};
  const int shift = to.rank - operand.rank;
  MEML_CHECK(shift >= 0);
  for (int axis = 0; axis < operand.rank; ++axis) {
    const bool repeated = operand.dim(axis) == 1;
    MEML_CHECK(repeated || operand.dim(axis) == to.dim(axis + shift));
    strides[static_cast<size_t>(axis + shift)] = repeated ? 0 : operand.stride(axis);
  }
  return strides;
}

Strides bias_strides(const TensorView& bias, const TensorView& to, int channel_axis) {
  const int axis = channel_axis < 0 ? channel_axis + to.rank : channel_axis;
  MEML_CHECK(bias.rank == 1 && axis >= 0 && axis < to.rank);
  MEML_CHECK(bias.dim(0) == to.dim(axis) || bias.dim(0) == 1);
  Strides strides{};
  strides[static_cast<size_t>(axis)] = bias.dim(0) == 1 ? 0 : bias.stride(0);
  return strides;
}

// f(element of `to`, offset in an operand with these strides), for each element.
template <typename F>
void for_each(const TensorView& to, const Strides& operand_strides, F&& f) {
  const int64_t count = to.elements();
  std::array<int64_t, kMaxRank> index{};
  int64_t at = 0, operand_at = 0;
  for (int64_t i = 0; i < count; ++i) {
    f(to.as<float>()[at], operand_at);
    for (int axis = to.rank - 1; axis >= 0; --axis) {
      const auto a = static_cast<size_t>(axis);
      at += to.strides[a];
      operand_at += operand_strides[a];
      if (++index[a] < to.dims[a]) break;
      at -= to.strides[a] * to.dims[a];
      operand_at -= operand_strides[a] * to.dims[a];
      index[a] = 0;
    }
  }
}

void apply_one(const Epilogue& epilogue, std::span<const TensorView> inputs, int channel_axis, const TensorView& f32) {
  if (!epilogue.reads_input()) {
    for_each(f32, {}, [&](float& x, int64_t) { x = apply_scalar(epilogue, x); });
    return;
  }
  MEML_CHECK(epilogue.input >= 0 && static_cast<size_t>(epilogue.input) < inputs.size());
  const TensorView& operand = inputs[static_cast<size_t>(epilogue.input)];
  if (epilogue.kind == EpilogueKind::bias)
    for_each(f32, bias_strides(operand, f32, channel_axis), [&](float& x, int64_t at) { x += load(operand, at); });
  else if (epilogue.kind == EpilogueKind::add)
    for_each(f32, broadcast_strides(operand, f32), [&](float& x, int64_t at) { x += load(operand, at); });
  else
    for_each(f32, broadcast_strides(operand, f32), [&](float& x, int64_t at) { x *= load(operand, at); });
}

}  // namespace

std::string_view epilogue_name(EpilogueKind kind) { return kind_text(kind).name; }

std::string epilogue_text(const Epilogue& epilogue) {
  const KindText& kind = kind_text(epilogue.kind);
  if (epilogue.reads_input()) return fmt::format("{}({})", kind.name, epilogue.input);
  if (kind.floats == 2) return fmt::format("{}({},{})", kind.name, epilogue.a, epilogue.b);
  if (kind.floats == 1) return fmt::format("{}({})", kind.name, epilogue.a);
  return std::string(kind.name);
}

Result<Epilogue> parse_epilogue(std::string_view text) {
  const size_t open = text.find('(');
  const bool has_list = open != std::string_view::npos;
  const std::string_view name = text.substr(0, open);
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const KindText& k) { return k.name == name; });
  if (kind == kKinds.end()) return invalid_argument("'{}' is not an epilogue", text);
  Epilogue epilogue{.kind = static_cast<EpilogueKind>(kind - kKinds.begin())};
  if (has_list && text.back() != ')') return invalid_argument("epilogue '{}' has no closing ')'", text);
  const std::string_view list = has_list ? text.substr(open + 1, text.size() - open - 2) : "";
  if (epilogue.reads_input()) {
    if (!parse_number(list, epilogue.input) || epilogue.input < 0)
      return invalid_argument("epilogue '{}' needs the index of an input: {}(2)", text, name);
    return epilogue;
  }
  const size_t comma = list.find(',');
  const bool good = kind->floats == 2
                        ? comma != std::string_view::npos && parse_number(list.substr(0, comma), epilogue.a) &&
                              parse_number(list.substr(comma + 1), epilogue.b)
                    : kind->floats == 1 ? parse_number(list, epilogue.a)
                                        : !has_list;
  if (!good) return invalid_argument("epilogue '{}' needs {} numbers: {}", text, kind->floats, name);
  return epilogue;
}

float apply_scalar(const Epilogue& epilogue, float x) {
  constexpr float kSqrtHalf = 0.70710678118654752f, kSqrtTwoOverPi = 0.79788456080286536f;
  const float a = epilogue.a, b = epilogue.b;
  const auto clip = [](float v, float low, float high) { return std::min(std::max(v, low), high); };  // keeps NaN
  switch (epilogue.kind) {
    case EpilogueKind::relu:
      return std::max(x, 0.0f);
    case EpilogueKind::leaky_relu:
      return x < 0 ? a * x : x;
    case EpilogueKind::clip:
      return clip(x, a, b);
    case EpilogueKind::sigmoid:
      return 1.0f / (1.0f + std::exp(-x));
    case EpilogueKind::silu:
      return x * (1.0f / (1.0f + std::exp(-x)));
    case EpilogueKind::hard_sigmoid:
      return clip(a * x + b, 0.0f, 1.0f);
    case EpilogueKind::hard_swish:
      return x * clip(x / 6.0f + 0.5f, 0.0f, 1.0f);
    case EpilogueKind::tanh:
      return std::tanh(x);
    case EpilogueKind::gelu:
      return x / 2 * (1.0f + std::erf(x * kSqrtHalf));
    case EpilogueKind::gelu_tanh:
      return x / 2 * (1.0f + std::tanh(kSqrtTwoOverPi * (x + 0.044715f * x * x * x)));
    case EpilogueKind::mish:
      return x * std::tanh(x > 20.0f ? x : std::log1p(std::exp(x)));
    case EpilogueKind::affine:
      return a * x + b;
    case EpilogueKind::bias:
    case EpilogueKind::add:
    case EpilogueKind::mul:
      break;
  }
  MEML_CHECK(!epilogue.reads_input());
  return x;
}

void apply_reference(std::span<const Epilogue> epilogues, std::span<const TensorView> inputs, int channel_axis,
                     TensorView& f32) {
  MEML_CHECK(f32.dtype == DType::f32);
  for (const Epilogue& epilogue : epilogues) apply_one(epilogue, inputs, channel_axis, f32);
}

}  // namespace memline::ops

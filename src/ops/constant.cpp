// Constant: a value written in the model. Its attribute becomes constant input 0, so that the node is an Identity of a
// constant.
#include "ops/op.h"
#include "ops/reference.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

template <typename T>
std::span<const std::byte> bytes_of(const T* data, size_t count) {
  return std::as_bytes(std::span(data, count));
}

Result<NoAttrs> import(AttrReader& reader, int) {
  constexpr std::span<const int64_t> kScalar;
  MEML_TRY(const std::optional<TensorView> tensor, reader.find_tensor("value"));
  if (tensor) {
    const auto size = static_cast<size_t>(tensor->elements() * size_of(tensor->dtype));
    reader.set_constant_input(0, tensor->dtype, std::span(tensor->dims).first(tensor->rank),
                              {tensor->as<const std::byte>(), size});
    return NoAttrs{};
  }
  MEML_TRY(const std::optional<float> number, reader.find_float("value_float"));
  if (number) {
    reader.set_constant_input(0, DType::f32, kScalar, bytes_of(&*number, 1));
    return NoAttrs{};
  }
  MEML_TRY(const std::optional<int64_t> integer, reader.find_int("value_int"));
  if (integer) {
    reader.set_constant_input(0, DType::i64, kScalar, bytes_of(&*integer, 1));
    return NoAttrs{};
  }
  MEML_TRY(const std::optional<std::vector<float>> numbers, reader.find_floats("value_floats"));
  if (numbers) {
    const auto count = static_cast<int64_t>(numbers->size());
    reader.set_constant_input(0, DType::f32, std::span(&count, 1), bytes_of(numbers->data(), numbers->size()));
    return NoAttrs{};
  }
  MEML_TRY(const std::optional<std::vector<int64_t>> integers, reader.find_ints("value_ints"));
  if (integers) {
    const auto count = static_cast<int64_t>(integers->size());
    reader.set_constant_input(0, DType::i64, std::span(&count, 1), bytes_of(integers->data(), integers->size()));
    return NoAttrs{};
  }
  return unsupported(
      "has none of value, value_float, value_int, value_floats, value_ints; strings and sparse tensors are "
      "unsupported");
}

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  return TensorTypes{in.type(0)};
}

Result<Integers> values(const NoAttrs&, const InferContext& in) {
  return in.values(0) ? Integers(*in.values(0)) : std::nullopt;
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) { copy(in[0], out[0]); }

std::optional<Placement> view(const NoAttrs&, const InferContext&, size_t, size_t, const Placement& at) { return at; }

}  // namespace

OpDef constant() {
  return define_op<NoAttrs>(
      "Constant", {.import = import, .infer = infer, .values = values, .reference = reference, .view_output = view});
}

}  // namespace memline::ops

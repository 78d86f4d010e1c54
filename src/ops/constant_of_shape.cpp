// ConstantOfShape: a tensor of the dims that input 0 holds, every element the same. The attribute `value` becomes
// constant input 1; without it the elements are f32 zeros. The dims have to be known to shape arithmetic.
#include "ops/dims_input.h"
#include "ops/op.h"
#include "ops/reference.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

Result<NoAttrs> import(AttrReader& reader, int) {
  MEML_TRY(const std::optional<TensorView> value, reader.find_tensor("value"));
  if (!value) return NoAttrs{};
  if (value->elements() != 1) return invalid_model("attribute 'value' has {} elements, needs 1", value->elements());
  reader.set_constant_input(1, value->dtype, {},
                            {value->as<const std::byte>(), static_cast<size_t>(size_of(value->dtype))});
  return NoAttrs{};
}

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 2));
  MEML_TRY(std::vector<DimExpr> dims, dims_input(in, 0, "the shape"));
  if (in.has(1) && product(in.dims(1)).constant() != 1)
    return invalid_model("the value is {}, needs one element", in.type(1).text());
  return TensorTypes{{.dtype = in.has(1) ? in.dtype(1) : DType::f32, .dims = std::move(dims)}};
}

Result<Integers> values(const NoAttrs&, const InferContext& in) {
  if (!in.values(0) || !in.values(1)) return std::nullopt;
  int64_t count = 1;
  const auto dims = small_dims(*in.values(0));
  if (!dims) return std::nullopt;
  for (const int64_t d : *dims) count *= d;
  return std::vector<DimExpr>(static_cast<size_t>(count), in.values(1)->front());
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  if (in.size() > 1 && in[1].data != nullptr) {
    TensorView value = in[1];
    value.rank = 0;  // one element, whatever its rank
    copy(value, out[0]);
  } else {
    walk_broadcast(out[0], [&](const auto& at) { store(out[0], at[0], 0.0f); });
  }
}

}  // namespace

OpDef constant_of_shape() {
  return define_op<NoAttrs>("ConstantOfShape", {.since_opset = 9,
                                                .import = import,
                                                .infer = infer,
                                                .values = values,
                                                .reference = reference,
                                                .extent_inputs = always<1>});
}

}  // namespace memline::ops

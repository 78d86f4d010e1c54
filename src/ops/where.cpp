// Where: y = condition ? a : b, elementwise, all three broadcast together.
#include "ops/elementwise.h"
#include "ops/reference.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(3, 3));
  MEML_TRY_STATUS(expect_accepted(in, 0, Accepts::booleans));
  MEML_TRY_STATUS(in.expect_same_dtype(1, 2));
  MEML_TRY(std::vector<DimExpr> dims, broadcast_inputs(in));
  return TensorTypes{{.dtype = in.dtype(1), .dims = std::move(dims)}};
}

Result<Integers> values(const NoAttrs&, const InferContext& in) {
  return elementwise_integers(in, [](std::span<const DimExpr> x) { return std::optional(select(x[0], x[1], x[2])); });
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  with_compute(in[1].dtype, [&](auto tag) {
    using C = decltype(tag);
    walk_broadcast(
        out[0],
        [&](const auto& at) {
          const bool condition = in[0].as<const uint8_t>()[at[1]] != 0;
          store(out[0], at[0], condition ? load<C>(in[1], at[2]) : load<C>(in[2], at[3]));
        },
        in[0], in[1], in[2]);
  });
}

}  // namespace

OpDef where() {
  return define_op<NoAttrs>(
      "Where",
      {.since_opset = 9, .infer = infer, .values = values, .reference = reference, .rows = rows_by_element<NoAttrs>});
}

}  // namespace memline::ops

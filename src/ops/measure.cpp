// Measure: a small integer tensor goes through, and each of its elements becomes a count. Ours: GraphBuilder puts it
// before a node whose shape rule asks for integers that only the data knows.
//   in   x, i64, i32 or bool, as many elements as there are bounds
//   out  x, then for element k a tensor u8[x_k - least_k, 0]: no element, but an extent
#include "ops/measure.h"

#include "ops/reference.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const MeasureAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  if (in.dtype(0) != DType::i64 && in.dtype(0) != DType::i32 && in.dtype(0) != DType::boolean)
    return invalid_model("input 0 is {}, needs i64, i32 or bool", in.dtype(0));
  const auto count = static_cast<int64_t>(attrs.least.size());
  if (attrs.most.size() != attrs.least.size() || !(product(in.dims(0)) == DimExpr(count)))
    return invalid_model("{} has bounds for {} and {} elements", in.type(0).text(), count, attrs.most.size());
  TensorTypes types = {in.type(0)};
  for (size_t k = 0; k < attrs.least.size(); ++k)
    types.push_back(
        {DType::u8, {in.count(fmt::format("element {}", k), DimExpr(attrs.most[k] - attrs.least[k])), DimExpr(0)}});
  return types;
}

void reference(const MeasureAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  copy(in[0], out[0]);
  size_t k = 0;
  walk<1>(in[0].rank, in[0].dims, {in[0].strides}, [&](const auto& at) {
    out[k + 1].dims[0] = std::clamp(load<int64_t>(in[0], at[0]), attrs.least[k], attrs.most[k]) - attrs.least[k];
    ++k;
  });
}

}  // namespace

OpDef measure() {
  return define_op<MeasureAttrs>("Measure", {.domain = "memline", .infer = infer, .reference = reference});
}

}  // namespace memline::ops

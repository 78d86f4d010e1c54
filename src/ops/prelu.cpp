// PRelu: y = x < 0 ? slope * x : x, elementwise; slope is broadcast to x's shape and never the other way round.
#include "ops/elementwise.h"
#include "ops/reference.h"
#include "ops/scalar_math.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY_STATUS(expect_alike(in, Accepts::numbers));
  const int shift = in.rank(0) - in.rank(1);
  if (shift < 0) return invalid_model("slope has rank {}, above the input's {}", in.rank(1), in.rank(0));
  for (int axis = 0; axis < in.rank(1); ++axis) {
    const DimExpr& slope = in.dims(1)[static_cast<size_t>(axis)];
    const DimExpr& own = in.dims(0)[static_cast<size_t>(axis + shift)];
    if (slope.constant() == 1 || slope == own) continue;
    MEML_TRY_STATUS(in.demand(max(equal(slope, own), equal(slope, 1)),
                              fmt::format("slope's axis {} is {}, the input has {}", axis, slope.text(), own.text())));
  }
  return TensorTypes{in.type(0)};
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  with_compute(in[0].dtype, [&](auto tag) {
    using C = decltype(tag);
    zip<C>(in[0], in[1], out[0], [](C x, C slope) { return x < 0 ? wrapping_mul(slope, x) : x; });
  });
}

}  // namespace

OpDef prelu() {
  return define_op<NoAttrs>(
      "PRelu", {.since_opset = 7, .infer = infer, .reference = reference, .rows = rows_by_element<NoAttrs>});
}

}  // namespace memline::ops

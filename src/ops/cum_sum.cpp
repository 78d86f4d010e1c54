// CumSum: running sums along the axis that input 1 names (a scalar, also at run time). 16-bit floats are summed in
// float.
#include "ops/cum_sum.h"

#include "ops/elementwise.h"
#include "ops/reference.h"
#include "ops/scalar_math.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const CumSumAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY_STATUS(expect_accepted(in, 0, Accepts::numbers));
  if (in.dtype(1) != DType::i64 && in.dtype(1) != DType::i32)
    return invalid_model("axis (input 1) is {}, needs i64 or i32", in.dtype(1));
  if (product(in.dims(1)).constant() != 1)
    return invalid_model("axis (input 1) is {}, needs a scalar", in.type(1).text());
  if (const TensorView* axis = in.constant(1))
    MEML_TRY_STATUS(resolve_axis(load<int64_t>(*axis, 0), in.rank(0), "axis"));
  return TensorTypes{in.type(0)};
}

template <typename C>
void sum_line(const CumSumAttrs& attrs, const TensorView& in, int64_t from, const TensorView& out, int64_t to,
              size_t axis) {
  const int64_t extent = in.dims[axis];
  C sum = 0;
  for (int64_t i = 0; i < extent; ++i) {
    const int64_t position = attrs.reverse ? extent - 1 - i : i;
    const C next = wrapping_add(sum, load<C>(in, from + position * in.strides[axis]));
    store(out, to + position * out.strides[axis], attrs.exclusive ? sum : next);
    sum = next;
  }
}

void reference(const CumSumAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const auto wanted = load<int64_t>(in[1], 0);
  if (wanted < -in[0].rank || wanted >= in[0].rank)
    return copy(in[0], out[0]);  // an error in the model; memory stays safe
  const auto axis = static_cast<size_t>(wrap_axis(wanted, in[0].rank));
  Extents lines = in[0].dims;
  lines[axis] = 1;
  with_compute(in[0].dtype, [&](auto tag) {
    walk<2>(in[0].rank, lines, {in[0].strides, out[0].strides},
            [&](const auto& at) { sum_line<decltype(tag)>(attrs, in[0], at[0], out[0], at[1], axis); });
  });
}

std::vector<RowNeed> rows(const CumSumAttrs&, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(2);
  const TensorView* summed = in.constant(1);
  if (summed != nullptr && wrap_axis(load<int64_t>(*summed, 0), in.rank(0)) != axis)
    needs[0] = {.all = false, .axis = axis, .rows = range};
  return needs;
}

}  // namespace

OpDef cum_sum() {
  return define_op<CumSumAttrs>("CumSum", {.since_opset = 11, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

// Trilu: the upper (or lower) triangle of each matrix on the last two axes, 0 elsewhere; input 1 moves the diagonal by
// k.
#include "ops/trilu.h"

#include "ops/index.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const TriluAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 2));
  MEML_TRY_STATUS(in.expect_rank(0, 2, kMaxRank));
  if (in.has(1) && in.dtype(1) != DType::i64) return invalid_model("k (input 1) is {}, needs i64", in.dtype(1));
  if (in.has(1) && product(in.dims(1)).constant() != 1)
    return invalid_model("k (input 1) is {}, needs a scalar", in.type(1).text());
  return TensorTypes{in.type(0)};
}

void reference(const TriluAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  // Beyond +-extent nothing changes, so a huge k cannot overflow.
  const size_t row_axis = in[0].rank - 2u, column_axis = in[0].rank - 1u;
  const int64_t most = in[0].dims[row_axis] + in[0].dims[column_axis];
  const int64_t k = in.size() > 1 && in[1].data != nullptr ? std::clamp(load<int64_t>(in[1], 0), -most, most) : 0;
  Extents row{}, column{};
  row[row_axis] = column[column_axis] = 1;
  walk<4>(in[0].rank, in[0].dims, {in[0].strides, out[0].strides, row, column}, [&](const auto& at) {
    const int64_t above = at[3] - at[2] - k;  // how far above the diagonal
    if (attrs.upper ? above >= 0 : above <= 0)
      copy_element(in[0], at[0], out[0], at[1]);
    else
      store<int64_t>(out[0], at[1], 0);
  });
}

}  // namespace

OpDef trilu() {
  return define_op<TriluAttrs>(
      "Trilu",
      {.since_opset = 14, .infer = infer, .values = integers_by_moving<infer, reference, 1>, .reference = reference});
}

}  // namespace memline::ops

// OneHot: a new axis of extent `depth` that holds values[1] where its position is the index and values[0] elsewhere. An
// index outside [-depth, depth) gives values[0] everywhere.
#include "ops/one_hot.h"

#include "ops/elementwise.h"
#include "ops/index.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<DimExpr> depth_of(const InferContext& in) {
  if (product(in.dims(1)).constant() != 1) return invalid_model("depth is {}, needs a scalar", in.type(1).text());
  DimExpr depth;
  if (in.constant(1) != nullptr) {
    depth = load<int64_t>(*in.constant(1), 0);
  } else {
    MEML_TRY(const std::vector<DimExpr> known, in.integers(1, "depth", {0, kUnbounded}));
    depth = known[0];
  }
  if (depth.is_constant() && *depth.constant() < 0) return invalid_model("depth is {}", depth.text());
  return depth;
}

Result<TensorTypes> infer(const OneHotAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(3, 3));
  MEML_TRY_STATUS(expect_accepted(in, 0, Accepts::numbers));
  MEML_TRY_STATUS(expect_accepted(in, 1, Accepts::numbers));
  if (in.rank(0) + 1 > kMaxRank)
    return unsupported("the result has rank {}, at most {} is supported", in.rank(0) + 1, kMaxRank);
  if (in.rank(2) != 1 || in.dims(2)[0].constant() != 2)
    return invalid_model("values is {}, needs [off, on]", in.type(2).text());
  MEML_TRY(const int axis, resolve_axis(attrs.axis, in.rank(0) + 1, "axis"));
  MEML_TRY(DimExpr depth, depth_of(in));
  TensorType type = {.dtype = in.dtype(2), .dims = in.dims(0)};
  type.dims.insert(type.dims.begin() + axis, std::move(depth));
  return TensorTypes{std::move(type)};
}

void reference(const OneHotAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &indices = in[0], &values = in[2];
  const auto axis = static_cast<size_t>(wrap_axis(attrs.axis, out[0].rank));
  Extents index_strides{}, position_strides{};
  position_strides[axis] = 1;
  for (size_t a = 0; a < out[0].rank; ++a)
    if (a != axis) index_strides[a] = indices.strides[a < axis ? a : a - 1];
  walk<3>(out[0].rank, out[0].dims, {out[0].strides, index_strides, position_strides}, [&](const auto& at) {
    const int64_t index = checked_index(load<int64_t>(indices, at[1]), out[0].dims[axis]);
    copy_element(values, index == at[2] ? values.strides[0] : 0, out[0], at[0]);
  });
}

}  // namespace

OpDef one_hot() { return define_op<OneHotAttrs>("OneHot", {.since_opset = 9, .infer = infer, .reference = reference}); }

}  // namespace memline::ops

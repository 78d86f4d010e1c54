// ArgMax and ArgMin: the index of the largest (smallest) element along an axis, the first (or the last) among equals. A
// NaN is taken before any number, as NumPy does.
//   in   x
//   out  i64, x's dims with the axis 1 (keepdims) or left out
#include "ops/arg_max.h"

#include "ops/reference.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const ArgMaxAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  MEML_TRY(const int axis, resolve_axis(attrs.axis, in.rank(0), "axis"));
  const DimExpr extent = in.dims(0)[static_cast<size_t>(axis)];
  MEML_TRY_STATUS(in.demand(less(0, extent), fmt::format("axis {} has no element to choose", axis)));
  TensorType type{DType::i64, in.dims(0)};
  if (attrs.keepdims)
    type.dims[static_cast<size_t>(axis)] = 1;
  else
    type.dims.erase(type.dims.begin() + axis);
  return TensorTypes{std::move(type)};
}

template <bool largest>
void reference(const ArgMaxAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  const int axis = wrap_axis(attrs.axis, x.rank);
  Extents y_strides{};
  for (int i = 0, own = 0; i < x.rank; ++i) {
    if (i != axis) y_strides[static_cast<size_t>(i)] = y.stride(own);
    if (i != axis || attrs.keepdims) ++own;
  }
  with_compute(x.dtype, [&](auto tag) {
    using C = decltype(tag);
    walk<2>(x.rank, extents_where(x, [&](int a) { return a != axis; }), {x.strides, y_strides}, [&](const auto& at) {
      int64_t best = 0;
      C best_value = load<C>(x, at[0]);
      for (int64_t i = 1; i < x.dim(axis); ++i) {
        const C value = load<C>(x, at[0] + i * x.stride(axis));
        const bool value_nan = is_nan(value), best_nan = is_nan(best_value);
        const bool better = value_nan ? !best_nan : !best_nan && (largest ? value > best_value : value < best_value);
        const bool equal = value == best_value || (value_nan && best_nan);
        if (!better && !(equal && attrs.select_last_index)) continue;
        best = i;
        best_value = value;
      }
      store(y, at[1], best);
    });
  });
}

std::vector<RowNeed> rows(const ArgMaxAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  const int reduced = wrap_axis(attrs.axis, in.rank(0));
  const int own = attrs.keepdims || axis < reduced ? axis : axis + 1;
  if (own == reduced) return {RowNeed{}};
  return {{.all = false, .axis = own, .rows = range}};
}

}  // namespace

OpDef arg_max() {
  return define_op<ArgMaxAttrs>("ArgMax", {.infer = infer, .reference = reference<true>, .rows = rows});
}
OpDef arg_min() {
  return define_op<ArgMaxAttrs>("ArgMin", {.infer = infer, .reference = reference<false>, .rows = rows});
}

}  // namespace memline::ops

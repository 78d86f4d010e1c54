// Shape: the extents of axes [start, end) of the input, i64[n]. Reads no element.
#include "ops/shape.h"

#include <algorithm>

#include "ops/op.h"
#include "ops/reference.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

struct AxisRange {
  int begin = 0, end = 0;
};

AxisRange axis_range(const ShapeAttrs& attrs, int rank) {
  const auto clamped = [rank](int64_t axis) {
    return static_cast<int>(std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank));
  };
  const int begin = clamped(attrs.start);
  return {begin, std::max(begin, clamped(attrs.end))};
}

Result<TensorTypes> infer(const ShapeAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  const auto [begin, end] = axis_range(attrs, in.rank(0));
  return TensorTypes{{.dtype = DType::i64, .dims = {end - begin}}};
}

Result<Integers> values(const ShapeAttrs& attrs, const InferContext& in) {
  const auto [begin, end] = axis_range(attrs, in.rank(0));
  return std::vector<DimExpr>(in.dims(0).begin() + begin, in.dims(0).begin() + end);
}

void reference(const ShapeAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const auto [begin, end] = axis_range(attrs, in[0].rank);
  for (int axis = begin; axis < end; ++axis) store(out[0], (axis - begin) * out[0].stride(0), in[0].dim(axis));
}

}  // namespace

OpDef shape() { return define_op<ShapeAttrs>("Shape", {.infer = infer, .values = values, .reference = reference}); }

}  // namespace memline::ops

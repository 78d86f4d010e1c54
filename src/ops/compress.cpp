// Compress: the slices on an axis (or the elements, without one) whose condition is true. How many is a count unless
// the condition is a constant. A condition shorter than the axis is false behind its end; what reaches past the axis is
// ignored.
#include "ops/compress.h"

#include "ops/elementwise.h"
#include "ops/reference.h"
#include "ops/same_elements.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

DimExpr kept_extent(const InferContext& in, const DimExpr& extent) {
  const TensorView* condition = in.constant(1);
  if (condition == nullptr || !extent.is_constant()) return in.count("elements kept", min(in.dims(1)[0], extent));
  int64_t kept = 0;
  for (int64_t i = 0; i < std::min(condition->dim(0), *extent.constant()); ++i) kept += load<int64_t>(*condition, i);
  return kept;
}

Result<TensorTypes> infer(const CompressAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY_STATUS(expect_accepted(in, 1, Accepts::booleans));
  MEML_TRY_STATUS(in.expect_rank(1, 1, 1));
  TensorType type = in.type(0);
  if (attrs.axis == CompressAttrs::kFlat) {
    type.dims = {kept_extent(in, product(in.dims(0)))};
  } else {
    MEML_TRY(const int axis, resolve_axis(attrs.axis, in.rank(0), "axis"));
    DimExpr& dim = type.dims[static_cast<size_t>(axis)];
    dim = kept_extent(in, dim);
  }
  return TensorTypes{std::move(type)};
}

bool is_kept(const TensorView& condition, int64_t i) { return load<int64_t>(condition, i * condition.stride(0)) != 0; }

void compress_flat(const TensorView& in, const TensorView& condition, TensorView& out) {
  int64_t count = 0;
  for (int64_t i = 0; i < std::min(condition.dim(0), in.elements()); ++i) {
    if (!is_kept(condition, i)) continue;
    if (count < out.dim(0))
      with_compute(in.dtype,
                   [&](auto tag) { store(out, count * out.stride(0), load<decltype(tag)>(in, offset_of(in, i))); });
    ++count;
  }
  out.dims[0] = count;
}

void compress_axis(const TensorView& in, const TensorView& condition, size_t axis, TensorView& out) {
  TensorView from = in, to = out;
  from.dims[axis] = to.dims[axis] = 1;
  int64_t count = 0;
  for (int64_t i = 0; i < std::min(condition.dim(0), in.dims[axis]); ++i) {
    if (!is_kept(condition, i)) continue;
    from.data = in.as<std::byte>() + i * in.strides[axis] * size_of(in.dtype);
    if (count >= out.dims[axis]) {  // more than there is room for
      ++count;
      continue;
    }
    to.data = out.as<std::byte>() + count++ * out.strides[axis] * size_of(out.dtype);
    copy(from, to);
  }
  out.dims[axis] = count;
}

void reference(const CompressAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  if (attrs.axis == CompressAttrs::kFlat) return compress_flat(in[0], in[1], out[0]);
  compress_axis(in[0], in[1], static_cast<size_t>(wrap_axis(attrs.axis, in[0].rank)), out[0]);
}

}  // namespace

OpDef compress() {
  return define_op<CompressAttrs>("Compress", {.since_opset = 9, .infer = infer, .reference = reference});
}

}  // namespace memline::ops

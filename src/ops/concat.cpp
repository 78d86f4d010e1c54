// Concat: the inputs behind each other on one axis. Each input is a view of the output, so that writers write in place.
#include "ops/concat.h"

#include "ops/op.h"
#include "ops/reference.h"
#include "ops/reshape_view.h"
#include "ops/shape_values.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<ConcatAttrs> import(AttrReader& reader, int) {
  MEML_TRY(const std::optional<int64_t> axis, reader.find_int("axis"));
  if (!axis) return invalid_model("attribute 'axis' is missing");
  return ConcatAttrs{.axis = *axis};
}

Result<TensorTypes> infer(const ConcatAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, SIZE_MAX));
  MEML_TRY(const int axis, resolve_axis(attrs.axis, in.rank(0), "axis"));
  TensorType type = in.type(0);
  for (size_t i = 1; i < in.size(); ++i) {
    MEML_TRY_STATUS(in.expect_same_dtype(0, i));
    if (in.rank(i) != in.rank(0))
      return invalid_model("input {} is {}, input 0 is {}: ranks differ", i, in.type(i).text(), in.type(0).text());
    for (int a = 0; a < in.rank(0); ++a) {
      DimExpr& dim = type.dims[static_cast<size_t>(a)];
      const DimExpr& other = in.dims(i)[static_cast<size_t>(a)];
      if (a == axis) {
        dim = dim + other;
        continue;
      }
      MEML_TRY_STATUS(in.expect_equal(dim, other, fmt::format("axis {} of inputs 0 and {}", a, i)));
      if (other.is_constant()) dim = other;
    }
  }
  return TensorTypes{std::move(type)};
}

void reference(const ConcatAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const auto axis = static_cast<size_t>(wrap_axis(attrs.axis, out[0].rank));
  int64_t begin = 0;
  for (const TensorView& part : in) {
    TensorView target = out[0];
    target.dims[axis] = part.dims[axis];
    target.data = out[0].as<std::byte>() + begin * out[0].strides[axis] * size_of(out[0].dtype);
    copy(part, target);
    begin += part.dims[axis];
  }
}

Result<Integers> values(const ConcatAttrs&, const InferContext& in) {
  if (in.rank(0) != 1) return std::nullopt;
  std::vector<DimExpr> integers;
  for (size_t i = 0; i < in.size(); ++i) {
    if (in.values(i) == nullptr) return std::nullopt;
    integers.insert(integers.end(), in.values(i)->begin(), in.values(i)->end());
  }
  return integers.size() <= kMaxIntegers ? Integers(std::move(integers)) : std::nullopt;
}

std::vector<RowNeed> rows(const ConcatAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  const bool along = wrap_axis(attrs.axis, in.rank(0)) == axis;
  return std::vector<RowNeed>(in.size(), {.all = along, .axis = axis, .rows = range});
}

// Input `input` begins behind the ones before it.
std::optional<Placement> view(const ConcatAttrs& attrs, const InferContext& in, size_t input, const Placement& at) {
  const auto axis = static_cast<size_t>(wrap_axis(attrs.axis, in.rank(0)));
  DimExpr begin = 0;
  for (size_t i = 0; i < input; ++i) begin = begin + in.dims(i)[axis];
  return if_unit_stride({.offset = at.offset + begin * at.strides[axis], .strides = at.strides}, in.dims(input));
}

}  // namespace

OpDef concat() {
  return define_op<ConcatAttrs>("Concat", {.since_opset = 4,
                                           .import = import,
                                           .infer = infer,
                                           .values = values,
                                           .reference = reference,
                                           .rows = rows,
                                           .view_input = view});
}

}  // namespace memline::ops

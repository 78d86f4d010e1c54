// Pad: elements added before and after each axis, or cut off where a number is negative. Modes constant, reflect
// (mirrored on the first and the last element), edge, wrap (a torus).
//   in   x, pads i64 [begin..., end...], optional value (one element; default 0), optional axes that pads speak of
//   out  begin + extent + end on each axis
#include "ops/pad.h"

#include <algorithm>

#include "ops/reference.h"
#include "ops/shape_values.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<PadAttrs> import(AttrReader& reader, int opset) {
  PadAttrs attrs;
  MEML_TRY(attrs.mode, reader.string_or("mode", "constant"));
  if (opset >= 11) return attrs;
  MEML_TRY(const std::optional<std::vector<int64_t>> pads, reader.find_ints("pads"));
  if (!pads) return invalid_model("attribute 'pads' is required");
  MEML_TRY(const float value, reader.float_or("value", 0));
  reader.set_int64_input(1, *pads);
  reader.set_f32_input(2, value);  // whatever the type of x: an attribute is always f32
  return attrs;
}

bool is_zero(const Padding& padding) { return padding.begin == DimExpr(0) && padding.end == DimExpr(0); }

}  // namespace

Result<std::vector<Padding>> paddings(const InferContext& in) {
  MEML_TRY(const std::vector<DimExpr> pads, in.integers(1, "pads", {-kUnbounded, kUnbounded}));
  std::vector<int64_t> axes;
  if (in.has(3)) {
    MEML_TRY(axes, in.constant_ints(3, "axes"));
  } else {
    for (int i = 0; i < in.rank(0); ++i) axes.push_back(i);
  }
  MEML_TRY(const std::vector<int> resolved, resolve_axes(axes, in.rank(0), "axes"));
  if (pads.size() != 2 * resolved.size())
    return invalid_model("pads has {} elements, needs {} for {} axes", pads.size(), 2 * resolved.size(),
                         resolved.size());
  std::vector<Padding> result(static_cast<size_t>(in.rank(0)));
  for (size_t i = 0; i < resolved.size(); ++i)
    result[static_cast<size_t>(resolved[i])] = {pads[i], pads[i + resolved.size()]};
  return result;
}

namespace {

Status check(const PadAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 4));
  MEML_TRY_STATUS(in.expect_rank(0, 0, kMaxRank));
  if (attrs.mode != "constant" && attrs.mode != "reflect" && attrs.mode != "edge" && attrs.mode != "wrap")
    return unsupported("mode '{}' is not known", attrs.mode);
  if (in.has(2) && product(in.dims(2)) != DimExpr(1) && product(in.dims(2)) != DimExpr(0))
    return invalid_model("the value is {}, needs one element", in.type(2).text());
  return {};
}

Result<TensorTypes> infer(const PadAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(check(attrs, in));
  MEML_TRY(const std::vector<Padding> pads, paddings(in));
  TensorType type = in.type(0);
  for (size_t i = 0; i < pads.size(); ++i) {
    const DimExpr before = type.dims[i];
    type.dims[i] = pads[i].begin + before + pads[i].end;
    if (!never_negative(type.dims[i]))
      MEML_TRY_STATUS(
          in.demand(less(-1, type.dims[i]), fmt::format("axis {} comes out with {} elements", i, type.dims[i].text())));
    if (attrs.mode != "constant" && !is_zero(pads[i]))
      MEML_TRY_STATUS(
          in.demand(less(0, before), fmt::format("axis {} has no element to repeat (mode {})", i, attrs.mode)));
  }
  return TensorTypes{std::move(type)};
}

int64_t modulo(int64_t a, int64_t n) { return (a % n + n) % n; }

// The index in [0, extent) that index i, counted from x's first element, repeats; -1 for the constant.
int64_t source(const PadAttrs& attrs, int64_t i, int64_t extent) {
  if (i >= 0 && i < extent) return i;
  if (attrs.mode == "edge") return std::clamp<int64_t>(i, 0, extent - 1);
  if (attrs.mode == "wrap") return modulo(i, extent);
  if (attrs.mode == "constant") return -1;
  const int64_t period = std::max<int64_t>(2 * (extent - 1), 1);
  const int64_t folded = modulo(i, period);
  return extent == 1 ? 0 : std::min(folded, period - folded);
}

// What is added before each axis of x.
Extents begins(std::span<const TensorView> in) {
  const TensorView &x = in[0], &pads = in[1], axes = input_or_none(in, 3);
  Extents begin{};
  for (int64_t i = 0; i < pads.dim(0) / 2; ++i) {
    const int64_t axis = axes.data ? load<int64_t>(axes, i * axes.stride(0)) : i;
    begin[static_cast<size_t>(wrap_axis(axis, x.rank))] = load<int64_t>(pads, i * pads.stride(0));
  }
  return begin;
}

void reference(const PadAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0], value = input_or_none(in, 2);
  const Extents begin = begins(in);
  // Each axis walks along itself in steps of 1, so that the walk tells the output's index on every axis.
  std::array<Extents, kMaxRank + 1> strides{};
  strides[kMaxRank] = y.strides;
  for (size_t a = 0; a < kMaxRank; ++a) strides[a][a] = 1;
  with_compute(x.dtype, [&](auto tag) {
    using C = decltype(tag);
    const C constant = value.data && value.elements() > 0 ? load<C>(value, 0) : C{};
    walk(y.rank, y.dims, strides, [&](const auto& index) {
      int64_t at = 0;
      bool inside = true;
      for (size_t a = 0; a < y.rank; ++a) {
        const int64_t i = source(attrs, index[a] - begin[a], x.dims[a]);
        inside = inside && i >= 0;
        at += i * x.strides[a];
      }
      store(y, index[kMaxRank], inside ? load<C>(x, at) : constant);
    });
  });
}

std::vector<RowNeed> rows(const PadAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  const auto pads = paddings(in);
  if (!pads) return needs;
  const Padding& padding = (*pads)[static_cast<size_t>(axis)];
  if (!padding.begin.is_constant() || (attrs.mode != "constant" && !is_zero(padding))) return needs;
  const int64_t begin = *padding.begin.constant();
  needs[0] = {.all = false, .axis = axis, .rows = {range.begin - begin, range.end - begin}};
  return needs;
}

}  // namespace

OpDef pad() {
  return define_op<PadAttrs>(
      "Pad", {.since_opset = 2, .import = import, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

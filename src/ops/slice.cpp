// Slice: elements start, start + step, ... before end on each named axis. Inputs data, starts, ends, axes?, steps?
// (before opset 10 starts, ends and axes are attributes). Negative positions count from the end; what lies outside is
// clamped.
//   * Axes and steps have to be constants. Starts and ends may be shape arithmetic, or computed from data: then the
//     extents are counts.
//   * A view when every step is positive.
#include <algorithm>

#include "ops/op.h"
#include "ops/reference.h"
#include "ops/reshape_view.h"
#include "ops/shape_values.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<NoAttrs> import(AttrReader& reader, int opset) {
  if (opset >= 10) return NoAttrs{};
  MEML_TRY(const auto starts, reader.find_ints("starts"));
  MEML_TRY(const auto ends, reader.find_ints("ends"));
  MEML_TRY(const auto axes, reader.find_ints("axes"));
  if (!starts || !ends) return invalid_model("attribute '{}' is missing", starts ? "ends" : "starts");
  reader.set_int64_input(1, *starts);
  reader.set_int64_input(2, *ends);
  if (axes) reader.set_int64_input(3, *axes);
  return NoAttrs{};
}

// Axis and step of each element of starts and ends.
struct Cut {
  int axis = 0;
  int64_t step = 1;
};

Result<std::vector<Cut>> cuts(const InferContext& in) {
  MEML_TRY_STATUS(in.expect_rank(1, 1, 1));
  const std::optional<int64_t> count = in.dims(1)[0].constant();
  if (!count || *count < 0 || *count > in.rank(0))
    return invalid_model("starts is {}, needs at most one element for each of {} axes", in.type(1).text(), in.rank(0));
  std::vector<int64_t> axes, steps(static_cast<size_t>(*count), 1);
  for (int64_t i = 0; i < *count; ++i) axes.push_back(i);
  if (in.has(3)) {
    MEML_TRY(axes, in.constant_ints(3, "axes"));
  }
  if (in.has(4)) {
    MEML_TRY(steps, in.constant_ints(4, "steps"));
  }
  if (axes.size() != static_cast<size_t>(*count) || steps.size() != axes.size())
    return invalid_model("{} starts, {} axes and {} steps: needs as many of each", *count, axes.size(), steps.size());
  MEML_TRY(const std::vector<int> resolved, resolve_axes(axes, in.rank(0), "axes"));
  std::vector<Cut> result;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (steps[i] == 0) return invalid_model("the step on axis {} is 0", resolved[i]);
    result.push_back({.axis = resolved[i], .step = steps[i]});
  }
  return result;
}

// max(low, x) for a low of 0 or -1, without the max where x is never below 0.
DimExpr at_least(int64_t low, const DimExpr& x) { return never_negative(x) ? x : max(low, x); }

// `position` counted from the front and clamped to [low, extent + high]; where that is empty (extent 0), extent + high.
DimExpr clamped(const DimExpr& position, const DimExpr& extent, int64_t low, int64_t high) {
  constexpr int64_t kBeyondAny = int64_t{1} << 31;  // exporters write INT32_MAX or INT64_MAX for "to the end"
  const DimExpr most = extent + high;
  DimExpr from_front = position;
  if (position.is_constant()) {
    const int64_t p = *position.constant();
    if (p >= kBeyondAny - 1 && !extent.is_constant()) return most;
    if (p <= -kBeyondAny && low < 0) return low;
    if (p < 0) from_front = extent + p;
  } else if (!never_negative(position)) {
    from_front = select(less(position, 0), position + extent, position);
  }
  if (from_front == most || (high == 0 && from_front.constant() == 0)) return from_front;
  from_front = at_least(low, from_front);
  // Behind a negative position nothing reaches past the end, except low itself where the extent is 0.
  return high == 0 && position.constant().value_or(0) < 0 ? from_front : min(from_front, most);
}

struct Span {
  DimExpr begin, extent;
};

Span span_of(const DimExpr& start, const DimExpr& end, int64_t step, const DimExpr& extent) {
  if (step > 0) {
    const DimExpr begin = clamped(start, extent, 0, 0), stop = clamped(end, extent, 0, 0);
    // stop is at most the extent, so an unclamped start gives the same length.
    return {begin, ceil_div(at_least(0, stop - (never_negative(start) ? start : begin)), step)};
  }
  const DimExpr begin = clamped(start, extent, 0, -1), stop = clamped(end, extent, -1, -1);
  return {begin, ceil_div(at_least(0, begin - stop), -step)};
}

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(3, 5));
  MEML_TRY(const std::vector<Cut> all, cuts(in));
  MEML_TRY_STATUS(in.expect_rank(2, 1, 1));
  MEML_TRY_STATUS(in.expect_equal(in.dims(1)[0], in.dims(2)[0], "the counts of starts and ends"));
  TensorType type = in.type(0);
  const std::vector<DimExpr>*starts = in.values(1), *ends = in.values(2);
  for (size_t i = 0; i < all.size(); ++i) {
    DimExpr& dim = type.dims[static_cast<size_t>(all[i].axis)];
    const bool known = starts != nullptr && ends != nullptr;
    dim = known ? span_of((*starts)[i], (*ends)[i], all[i].step, dim).extent
                : in.count(fmt::format("extent of axis {}", all[i].axis), dim);
  }
  return TensorTypes{std::move(type)};
}

struct NumberSpan {
  int64_t begin = 0, extent = 0;
};

NumberSpan number_span(int64_t start, int64_t end, int64_t step, int64_t extent) {
  const auto from_front = [extent](int64_t p, int64_t low, int64_t high) {
    return std::clamp(p < 0 ? p + extent : p, low, std::max(low, high));
  };
  if (step > 0) {
    const int64_t begin = from_front(start, 0, extent), length = from_front(end, 0, extent) - begin;
    return {begin, length <= 0 ? 0 : (length - 1) / step + 1};
  }
  const int64_t begin = from_front(start, 0, extent - 1), length = begin - from_front(end, -1, extent - 1);
  if (extent == 0 || length <= 0) return {0, 0};
  return {begin, step < -length ? 1 : (length - 1) / -step + 1};
}

int64_t element(const TensorView& list, int64_t i) { return load<int64_t>(list, i * list.stride(0)); }

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  TensorView source = in[0];
  const bool has_axes = in.size() > 3 && in[3].data != nullptr, has_steps = in.size() > 4 && in[4].data != nullptr;
  for (int64_t i = 0; i < in[1].dim(0); ++i) {
    const auto axis = static_cast<size_t>(has_axes ? wrap_axis(element(in[3], i), source.rank) : i);
    const int64_t step = has_steps ? element(in[4], i) : 1;
    const NumberSpan span = number_span(element(in[1], i), element(in[2], i), step, source.dims[axis]);
    source.data = source.as<std::byte>() + span.begin * source.strides[axis] * size_of(source.dtype);
    source.dims[axis] = span.extent;
    source.strides[axis] = span.extent > 1 ? source.strides[axis] * step : 0;
  }
  const bool has_room =
      std::equal(source.dims.begin(), source.dims.begin() + source.rank, out[0].dims.begin(), std::less_equal<>());
  out[0].dims = source.dims;
  if (has_room) copy(source, out[0]);
}

Result<Integers> values(const NoAttrs& attrs, const InferContext& in) {
  if (in.values(1) == nullptr || in.values(2) == nullptr) return std::nullopt;
  return integers_by_moving<infer, reference, 1>(attrs, in);
}

std::vector<RowNeed> rows(const NoAttrs&, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  const auto all = cuts(in);
  const bool is_cut = !all || std::any_of(all->begin(), all->end(), [&](const Cut& cut) { return cut.axis == axis; });
  if (!is_cut) needs[0] = {.all = false, .axis = axis, .rows = range};
  return needs;
}

std::optional<Placement> view(const NoAttrs&, const InferContext& in, size_t, size_t input, const Placement& at) {
  const auto all = cuts(in);
  if (input != 0 || !all || in.values(1) == nullptr || in.values(2) == nullptr) return std::nullopt;
  Placement result = at;
  std::vector<DimExpr> dims = in.dims(0);
  for (size_t i = 0; i < all->size(); ++i) {
    const auto [axis, step] = (*all)[i];
    if (step < 0) return std::nullopt;
    const auto a = static_cast<size_t>(axis);
    const auto [begin, extent] = span_of((*in.values(1))[i], (*in.values(2))[i], step, dims[a]);
    result.offset = result.offset + begin * at.strides[a];
    dims[a] = extent;
    if (extent.constant() != 1) result.strides[a] = at.strides[a] * step;
  }
  return if_unit_stride(std::move(result), dims);
}

}  // namespace

OpDef slice() {
  return define_op<NoAttrs>(
      "Slice",
      {.import = import, .infer = infer, .values = values, .reference = reference, .rows = rows, .view_output = view});
}

}  // namespace memline::ops

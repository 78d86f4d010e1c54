// Resize: every element of the output is a weighted mean of neighbours in the input (nearest, linear, cubic), axis by
// axis.
//   in   x, optional roi (only for tf_crop_and_resize), scales or sizes (the other absent or empty)
//   out  x's dims, times scales (floor, in f32) or as sizes say
// Integers are interpolated as real numbers, rounded half to even and saturated.
#include "ops/resize.h"

#include <algorithm>
#include <cmath>

#include "ops/quantize.h"
#include "ops/shape_values.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

using Dims = std::vector<DimExpr>;

Status check_word(const std::string& word, std::initializer_list<std::string_view> known, std::string_view name) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return {};
  return unsupported("{} '{}' is not known", name, word);
}

Status check_attrs(const ResizeAttrs& attrs) {
  MEML_TRY_STATUS(check_word(attrs.mode, {"nearest", "linear", "cubic"}, "mode"));
  MEML_TRY_STATUS(check_word(attrs.coordinate_transformation_mode,
                             {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                              "tf_half_pixel_for_nn", "tf_crop_and_resize"},
                             "coordinate_transformation_mode"));
  MEML_TRY_STATUS(check_word(attrs.nearest_mode,
                             {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "floor_or_ceil"},
                             "nearest_mode"));
  MEML_TRY_STATUS(
      check_word(attrs.keep_aspect_ratio_policy, {"stretch", "not_larger", "not_smaller"}, "keep_aspect_ratio_policy"));
  if (attrs.antialias && attrs.mode == "nearest") return invalid_model("antialias needs mode linear or cubic");
  return {};
}

Result<ResizeAttrs> import(AttrReader& reader, int opset) {
  ResizeAttrs attrs;
  MEML_TRY(attrs.mode, reader.string_or("mode", "nearest"));
  if (opset < 11) {
    attrs.coordinate_transformation_mode = "asymmetric";
    attrs.nearest_mode = "floor_or_ceil";
    attrs.scales_input = 1;
    return attrs;
  }
  MEML_TRY(attrs.coordinate_transformation_mode, reader.string_or("coordinate_transformation_mode", "half_pixel"));
  MEML_TRY(attrs.nearest_mode, reader.string_or("nearest_mode", "round_prefer_floor"));
  MEML_TRY(attrs.keep_aspect_ratio_policy, reader.string_or("keep_aspect_ratio_policy", "stretch"));
  MEML_TRY(attrs.axes, reader.ints_or("axes", {}));
  MEML_TRY(attrs.cubic_coeff_a, reader.float_or("cubic_coeff_a", -0.75f));
  MEML_TRY(attrs.extrapolation_value, reader.float_or("extrapolation_value", 0));
  MEML_TRY(const int64_t exclude_outside, reader.int_or("exclude_outside", 0));
  MEML_TRY(const int64_t antialias, reader.int_or("antialias", 0));
  attrs.exclude_outside = exclude_outside != 0;
  attrs.antialias = antialias != 0;
  return attrs;
}

bool has_elements(const InferContext& in, size_t i) { return in.has(i) && product(in.dims(i)) != DimExpr(0); }

// floor(extent * scale) in f32, as ONNX's own shape inference; written with integers where that says the same.
DimExpr scaled(const DimExpr& extent, float scale) {
  if (scale == 1) return extent;
  if (scale >= 1 && scale == std::floor(scale) && scale < 1024) return extent * static_cast<int64_t>(scale);
  const float inverse = 1 / scale;
  if (inverse == std::floor(inverse) && inverse < 1024 && inverse * scale == 1 &&
      std::exp2(std::round(std::log2(inverse))) == inverse)
    return floor_div(extent, static_cast<int64_t>(inverse));
  return floor(FloatExpr(extent) * FloatExpr(scale));
}

Result<Dims> dims_by_scales(const ResizeAttrs& attrs, const InferContext& in, size_t input,
                            const std::vector<int>& axes) {
  MEML_TRY(const std::vector<float> scales, in.constant_floats(input, "scales"));
  if (scales.size() != axes.size())
    return invalid_model("scales has {} elements, needs {}", scales.size(), axes.size());
  std::vector<float> roi;
  if (attrs.coordinate_transformation_mode == "tf_crop_and_resize" && has_elements(in, 1)) {
    MEML_TRY(roi, in.constant_floats(1, "roi"));
    if (roi.size() != 2 * axes.size())
      return invalid_model("roi has {} elements, needs {}", roi.size(), 2 * axes.size());
  }
  Dims dims = in.dims(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!(scales[i] > 0)) return invalid_model("scales has {}, needs more than 0", scales[i]);
    const float part = roi.empty() ? 1 : roi[axes.size() + i] - roi[i];
    DimExpr& dim = dims[static_cast<size_t>(axes[i])];
    dim = scaled(dim, part * scales[i]);
  }
  return dims;
}

// round_half_up(in * q) for the quotient q = size / in that the policy picks, in whole numbers.
void keep_aspect(const ResizeAttrs& attrs, const Dims& in, const std::vector<int>& axes, Dims& dims) {
  DimExpr num = dims[static_cast<size_t>(axes[0])], den = in[static_cast<size_t>(axes[0])];
  for (const int axis : axes) {
    const DimExpr &size = dims[static_cast<size_t>(axis)], &extent = in[static_cast<size_t>(axis)];
    const DimExpr smaller = less(size * den, num * extent), larger = less(num * extent, size * den);
    const DimExpr takes = attrs.keep_aspect_ratio_policy == "not_larger" ? smaller : larger;
    const DimExpr next_num = select(takes, size, num), next_den = select(takes, extent, den);
    num = next_num, den = next_den;
  }
  for (const int axis : axes) {
    const auto a = static_cast<size_t>(axis);
    dims[a] = floor_div(in[a] * num * 2 + den, den * 2);
  }
}

Result<Dims> dims_by_sizes(const ResizeAttrs& attrs, const InferContext& in, const std::vector<int>& axes) {
  MEML_TRY(const std::vector<DimExpr> sizes, in.integers(3, "sizes", {0, kUnbounded}));
  if (sizes.size() != axes.size()) return invalid_model("sizes has {} elements, needs {}", sizes.size(), axes.size());
  Dims dims = in.dims(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const DimExpr& size = sizes[i];
    if (!never_negative(size))
      MEML_TRY_STATUS(in.demand(less(-1, size), fmt::format("sizes has {}, needs at least 0", size.text())));
    dims[static_cast<size_t>(axes[i])] = size;
  }
  if (attrs.keep_aspect_ratio_policy != "stretch" && !axes.empty()) keep_aspect(attrs, in.dims(0), axes, dims);
  return dims;
}

}  // namespace

Result<TensorTypes> infer_resize(const ResizeAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(attrs.scales_input == 1 ? 2 : 1, attrs.scales_input == 1 ? 2 : 4));
  MEML_TRY_STATUS(in.expect_rank(0, 1, kMaxRank));
  MEML_TRY_STATUS(check_attrs(attrs));
  MEML_TRY(std::vector<int> axes, resolve_axes(attrs.axes, in.rank(0), "axes"));
  for (int i = 0; attrs.axes.empty() && i < in.rank(0); ++i) axes.push_back(i);
  for (size_t i = 1; i < in.size(); ++i)
    if (in.has(i)) MEML_TRY_STATUS(in.expect_rank(i, 1, 1));

  const auto scales = static_cast<size_t>(attrs.scales_input);
  const bool by_scales = has_elements(in, scales), by_sizes = attrs.scales_input == 2 && has_elements(in, 3);
  if (by_scales == by_sizes)
    return invalid_model("{} of scales and sizes given, needs one of them", by_scales ? "both" : "neither");
  auto dims = by_scales ? dims_by_scales(attrs, in, scales, axes) : dims_by_sizes(attrs, in, axes);
  if (!dims) return Failure(std::move(dims).error());
  return TensorTypes{{in.dtype(0), *std::move(dims)}};
}

namespace {

// The output elements, one after the other: a product of taps over the axes, innermost axis summed first.
class Resampler {
 public:
  Resampler(const ResizeAttrs& attrs, std::span<const TensorView> in, const TensorView& y)
      : attrs_(attrs), x_(in[0]), y_(y), axes_(resize_axes(attrs, in, y)) {}

  void run() { over_outputs(0, 0, false); }

 private:
  void over_outputs(int axis, int64_t y_at, bool extrapolated) {
    const auto a = static_cast<size_t>(axis);
    if (axis == y_.rank) return put(y_at, extrapolated ? static_cast<double>(attrs_.extrapolation_value) : sum(0, 0));
    for (int64_t o = 0; o < y_.dim(axis); ++o) {
      taps_[a] = resize_taps(attrs_, axes_[a], o);
      over_outputs(axis + 1, y_at + o * y_.stride(axis), extrapolated || taps_[a].extrapolated);
    }
  }

  double sum(int axis, int64_t x_at) const {
    if (axis == x_.rank) return load<double>(x_, x_at);
    const auto a = static_cast<size_t>(axis);
    const ResizeTaps& taps = taps_[a];
    if (taps.count == 1) return sum(axis + 1, x_at + taps.first * x_.stride(axis));
    double total = 0;
    for (int64_t i = 0; i < taps.count; ++i) {
      const int64_t index = std::clamp<int64_t>(taps.first + i, 0, x_.dim(axis) - 1);
      const double weight = resize_weight(attrs_, axes_[a], taps, i);
      if (weight != 0) total += weight * sum(axis + 1, x_at + index * x_.stride(axis));
    }
    return total;
  }

  void put(int64_t at, double value) const {
    if (is_float(y_.dtype))
      store(y_, at, value);
    else if (attrs_.mode == "nearest")
      store(y_, at, static_cast<int64_t>(value));
    else
      store_quantized(y_, at, value, 0);
  }

  const ResizeAttrs& attrs_;
  const TensorView &x_, &y_;
  const ResizeAxes axes_;
  std::array<ResizeTaps, kMaxRank> taps_;
};

}  // namespace

void resize_reference(const ResizeAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  if (out[0].elements() > 0) Resampler(attrs, in, out[0]).run();
}

// Only where every number is known at build does the range follow, from the taps of its first and its last row. An axis
// that keeps its extent may be dynamic (the batch): any number stands for it.
std::vector<RowNeed> resize_rows(const ResizeAttrs& attrs, const InferContext& in, int axis, RowRange rows) {
  std::vector<RowNeed> needs(in.size());
  if (attrs.keep_aspect_ratio_policy != "stretch") return needs;
  std::array<TensorView, 4> views;
  std::vector<int64_t> sizes;  // where shape arithmetic knows them
  for (size_t i = 1; i < in.size(); ++i) {
    if (const TensorView* constant = in.constant(i)) {
      views[i] = *constant;
    } else if (has_elements(in, i)) {
      const auto known = in.constant_ints(i, "sizes");
      if (!known) return needs;
      sizes = *known;
      views[i] = dense_view(DType::i64, sizes.data(), std::array{static_cast<int64_t>(sizes.size())});
    }
  }
  const auto types = infer_resize(attrs, in);  // with numbers for all of that it demands nothing of a run
  if (!types) return needs;
  constexpr int64_t kUnknown = int64_t{1} << 40;
  const std::string& mode = attrs.coordinate_transformation_mode;
  const bool local = has_elements(in, static_cast<size_t>(attrs.scales_input)) &&
                     (mode == "asymmetric" || mode == "half_pixel" || mode == "tf_half_pixel_for_nn");
  TensorView x, y;
  x.rank = y.rank = static_cast<uint8_t>(in.rank(0));
  for (size_t i = 0; i < in.dims(0).size(); ++i) {
    const DimExpr &from = in.dims(0)[i], &to = (*types)[0].dims[i];
    if (from != to && !(from.is_constant() && to.is_constant()) && !local) return needs;
    x.dims[i] = from.constant().value_or(kUnknown);
    y.dims[i] = to.constant().value_or(kUnknown);
  }
  views[0] = x;
  const ResizeAxis resized = resize_axes(attrs, views, y)[static_cast<size_t>(axis)];
  if (!resized.resampled) {
    needs[0] = {.all = false, .axis = axis, .rows = rows};
    return needs;
  }
  const ResizeTaps first = resize_taps(attrs, resized, rows.begin), last = resize_taps(attrs, resized, rows.end - 1);
  // With unknown extents a scale may stand for a quotient that is a little different: a row more on either side covers
  // it.
  const int64_t slack = resized.in == kUnknown && resized.num != std::floor(resized.num) ? 1 : 0;
  const int64_t begin = std::clamp<int64_t>(std::min(first.first, last.first) - slack, 0, resized.in - 1);
  const int64_t past = std::max(first.first + first.count, last.first + last.count) + slack;
  needs[0] = {.all = false, .axis = axis, .rows = {begin, std::clamp<int64_t>(past, begin + 1, resized.in)}};
  return needs;
}

// With the output's dims known, sizes tell no more: unless one quotient is picked from all of them.
static uint64_t extent_inputs(const ResizeAttrs& attrs) {
  return attrs.scales_input == 2 && attrs.keep_aspect_ratio_policy == "stretch" ? 1u << 3 : 0;
}

OpDef resize() {
  return define_op<ResizeAttrs>("Resize", {.since_opset = 10,
                                           .import = import,
                                           .infer = infer_resize,
                                           .reference = resize_reference,
                                           .rows = resize_rows,
                                           .extent_inputs = extent_inputs});
}

}  // namespace memline::ops

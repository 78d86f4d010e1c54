// Where the elements of a resized tensor come from: scales, coordinates, taps and weights of one axis. See resize.h.
#include <algorithm>
#include <cmath>

#include "ops/resize.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

// The position of `axis` in the lists roi, scales and sizes, or -1.
int64_t position_of(const ResizeAttrs& attrs, int axis, int rank) {
  if (attrs.axes.empty()) return axis;
  for (size_t i = 0; i < attrs.axes.size(); ++i)
    if (wrap_axis(attrs.axes[i], rank) == axis) return static_cast<int64_t>(i);
  return -1;
}

bool has_elements(const TensorView& view) { return view.data != nullptr && view.elements() > 0; }

double element(const TensorView& view, int64_t i) { return load<double>(view, i * view.stride(0)); }

// The quotient size / extent that keep_aspect_ratio_policy picks: the smallest (not_larger) or the largest.
void pick_quotient(const ResizeAttrs& attrs, const TensorView& x, const TensorView& sizes, double& num, double& den) {
  bool found = false;
  for (int axis = 0; axis < x.rank; ++axis) {
    const int64_t i = position_of(attrs, axis, x.rank);
    if (i < 0) continue;
    const double size = element(sizes, i), extent = static_cast<double>(x.dim(axis));
    const bool less = size * den < num * extent;
    if (!found || (attrs.keep_aspect_ratio_policy == "not_larger") == less) num = size, den = extent;
    found = true;
  }
}

// Keys' cubic kernel, or the triangle of linear interpolation.
double kernel(const ResizeAttrs& attrs, double x) {
  x = std::abs(x);
  if (attrs.mode == "linear") return std::max(1 - x, 0.0);
  const double a = attrs.cubic_coeff_a;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

double raw_weight(const ResizeAttrs& attrs, const ResizeAxis& axis, const ResizeTaps& taps, int64_t tap) {
  const int64_t index = taps.first + tap;
  if (attrs.exclude_outside && (index < 0 || index >= axis.in)) return 0;
  return kernel(attrs, (static_cast<double>(tap + taps.offset) - taps.ratio) * taps.stretch);
}

}  // namespace

ResizeAxes resize_axes(const ResizeAttrs& attrs, std::span<const TensorView> in, const TensorView& out) {
  const TensorView& x = in[0];
  const TensorView scales = input_or_none(in, static_cast<size_t>(attrs.scales_input));
  // Without either, the sizes are known from the output.
  const TensorView sizes = attrs.scales_input == 2 ? input_or_none(in, 3) : TensorView{};
  const TensorView roi = attrs.scales_input == 2 ? input_or_none(in, 1) : TensorView{};
  const bool crops = attrs.coordinate_transformation_mode == "tf_crop_and_resize" && has_elements(roi);
  const bool keeps_aspect = has_elements(sizes) && attrs.keep_aspect_ratio_policy != "stretch";
  double num = 1, den = 1;
  if (keeps_aspect) pick_quotient(attrs, x, sizes, num, den);

  ResizeAxes axes;
  for (int i = 0; i < x.rank; ++i) {
    ResizeAxis& axis = axes[static_cast<size_t>(i)];
    axis.in = x.dim(i);
    axis.out = out.dim(i);
    const int64_t at = position_of(attrs, i, x.rank);
    if (at < 0) continue;
    if (keeps_aspect) {
      axis.num = num, axis.den = den;
    } else if (!has_elements(scales)) {
      axis.num = static_cast<double>(axis.out), axis.den = static_cast<double>(axis.in);
    } else {
      axis.num = element(scales, at);
      if (static_cast<float>(axis.out) / static_cast<float>(axis.in) == static_cast<float>(axis.num))
        axis.num = static_cast<double>(axis.out), axis.den = static_cast<double>(axis.in);
    }
    if (crops) {
      axis.roi_start = element(roi, at);
      axis.roi_end = element(roi, at + roi.dim(0) / 2);
    }
    const bool whole = axis.roi_start == 0 && axis.roi_end == 1;
    axis.resampled = axis.num != axis.den || axis.in != axis.out || !whole;
  }
  return axes;
}

namespace {

// The modes that exporters use, in f32 as the frameworks compute them: on a picture 1000 wide, exact coordinates differ
// from theirs by up to 6e-5 of a pixel, and a detector's answers by ten times what its layers do.
double interpolated_coordinate(const std::string& mode, const ResizeAxis& axis, int64_t o) {
  const auto x = static_cast<float>(o), scale = static_cast<float>(axis.num) / static_cast<float>(axis.den);
  if (mode == "asymmetric") return x / scale;
  if (mode == "align_corners")
    return axis.out == 1 ? 0 : x * static_cast<float>(axis.in - 1) / static_cast<float>(axis.out - 1);
  return (x + 0.5f) / scale - 0.5f;
}

}  // namespace

double resize_coordinate(const ResizeAttrs& attrs, const ResizeAxis& axis, int64_t o) {
  const std::string& mode = attrs.coordinate_transformation_mode;
  const auto x = static_cast<double>(o), in = static_cast<double>(axis.in);
  const double length = axis.length();
  const bool whole = length == static_cast<double>(axis.out);
  if (attrs.mode != "nearest" && !attrs.antialias &&
      (mode == "half_pixel" || mode == "asymmetric" || (mode == "pytorch_half_pixel" && length != 1) ||
       (mode == "align_corners" && whole)))
    return interpolated_coordinate(mode, axis, o);
  if (mode == "asymmetric") return x * axis.den / axis.num;
  if (mode == "align_corners") return length == 1 ? 0 : x * (in - 1) / (length - 1);
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5) * axis.den / axis.num;
  if (mode == "pytorch_half_pixel" && length == 1) return -0.5;
  if (mode == "tf_crop_and_resize") {
    if (axis.out == 1) return 0.5 * (axis.roi_start + axis.roi_end) * (in - 1);
    return axis.roi_start * (in - 1) +
           x * (axis.roi_end - axis.roi_start) * (in - 1) / static_cast<double>(axis.out - 1);
  }
  const double half_pixel = (x + 0.5) * axis.den / axis.num - 0.5;
  if (mode == "half_pixel_symmetric") return in / 2 * (1 - static_cast<double>(axis.out) / length) + half_pixel;
  return half_pixel;
}

int64_t resize_nearest(const ResizeAttrs& attrs, const ResizeAxis& axis, double x) {
  double index = std::ceil(x - 0.5);
  if (attrs.nearest_mode == "round_prefer_ceil") index = std::floor(x + 0.5);
  if (attrs.nearest_mode == "floor") index = std::floor(x);
  if (attrs.nearest_mode == "ceil") index = std::ceil(x);
  if (attrs.nearest_mode == "floor_or_ceil") index = axis.num < axis.den ? std::ceil(x) : std::floor(x);
  return static_cast<int64_t>(std::clamp(index, 0.0, static_cast<double>(axis.in - 1)));
}

ResizeTaps resize_taps(const ResizeAttrs& attrs, const ResizeAxis& axis, int64_t o) {
  ResizeTaps taps;
  if (!axis.resampled) {
    taps.first = o;
    return taps;
  }
  const double x = resize_coordinate(attrs, axis, o);
  taps.extrapolated =
      attrs.coordinate_transformation_mode == "tf_crop_and_resize" && (x < 0 || x > static_cast<double>(axis.in - 1));
  if (attrs.mode == "nearest") {
    taps.first = resize_nearest(attrs, axis, x);
    return taps;
  }
  const double radius = attrs.mode == "linear" ? 1 : 2;
  if (attrs.antialias) taps.stretch = std::min(axis.scale(), 1.0);
  const double base = std::ceil(x) - 1;  // the element left of x, also where x is a whole number
  taps.ratio = x - base;
  taps.offset = static_cast<int64_t>(std::floor(-radius / taps.stretch)) + 1;
  taps.count = 2 - 2 * taps.offset;
  taps.first = static_cast<int64_t>(base) + taps.offset;
  if (!attrs.antialias && !attrs.exclude_outside) return taps;
  double sum = 0;
  for (int64_t i = 0; i < taps.count; ++i) sum += raw_weight(attrs, axis, taps, i);
  if (sum != 0) taps.sum = sum;
  return taps;
}

double resize_weight(const ResizeAttrs& attrs, const ResizeAxis& axis, const ResizeTaps& taps, int64_t tap) {
  if (!axis.resampled || attrs.mode == "nearest") return 1;
  return raw_weight(attrs, axis, taps, tap) / taps.sum;
}

}  // namespace memline::ops

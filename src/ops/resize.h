// Resize's attributes and geometry; Upsample (7 to 9) and Resize-10 import into the same.
//   * A scale is kept as a quotient: sizes give out/in, scales give s/1 (out/in where that is s in f32: 0.3 means 6/20
//     then), keep_aspect_ratio_policy the quotient of the axis that decides. Coordinates are computed in double with
//     the product first, so what is exact in fractions (ties) stays exact.
//   * The length that align_corners and others divide by is in * scale: a fraction when it follows from a scale.
//   * An axis of scale 1 whose extent does not change is not resampled, whatever the coordinate mode says.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ops/op.h"
#include "ops/reference.h"

namespace memline::ops {

struct ResizeAttrs {
  std::string mode = "nearest";  // linear, cubic
  std::string coordinate_transformation_mode =
      "half_pixel";                                  // the seven of the text, and Resize-11's tf_half_pixel_for_nn
  std::string nearest_mode = "round_prefer_floor";   // round_prefer_ceil, floor, ceil; Resize-10: floor_or_ceil (*)
  std::string keep_aspect_ratio_policy = "stretch";  // not_larger, not_smaller
  std::vector<int64_t> axes;                         // what roi, scales and sizes speak of; empty: all
  float cubic_coeff_a = -0.75f, extrapolation_value = 0;
  bool exclude_outside = false, antialias = false;
  int64_t scales_input = 2;  // in (x, roi, scales, sizes); 1 in Upsample and Resize-10, whose inputs are (x, scales)
  // (*) floor where the axis grows, ceil where it shrinks: what Resize-10's own examples do.

  void fields(auto&& field) {
    field("mode", mode);
    field("coordinate_transformation_mode", coordinate_transformation_mode);
    field("nearest_mode", nearest_mode);
    field("keep_aspect_ratio_policy", keep_aspect_ratio_policy);
    field("axes", axes);
    field("cubic_coeff_a", cubic_coeff_a);
    field("extrapolation_value", extrapolation_value);
    field("exclude_outside", exclude_outside);
    field("antialias", antialias);
    field("scales_input", scales_input);
  }
};

// One axis, every number known.
struct ResizeAxis {
  int64_t in = 1, out = 1;
  double num = 1, den = 1;            // scale = num / den
  double roi_start = 0, roi_end = 1;  // tf_crop_and_resize
  bool resampled = false;             // otherwise output index = input index

  double scale() const { return num / den; }
  double length() const { return static_cast<double>(in) * num / den; }
};
using ResizeAxes = std::array<ResizeAxis, kMaxRank>;

// From the views of a run: inputs as ResizeAttrs says, and the output with its true dims. Allocates nothing.
ResizeAxes resize_axes(const ResizeAttrs& attrs, std::span<const TensorView> in, const TensorView& out);

// Where output index o of an axis lies in the input, as a real coordinate.
double resize_coordinate(const ResizeAttrs& attrs, const ResizeAxis& axis, int64_t o);
// The input index that mode nearest takes for that coordinate, clamped to the input.
int64_t resize_nearest(const ResizeAttrs& attrs, const ResizeAxis& axis, double x);

// The input indices [first, first + count) that output index o weighs (they may lie outside; reads are clamped), for
// linear and cubic.
struct ResizeTaps {
  int64_t first = 0, count = 1;
  double ratio = 0;  // of tap i, the distance to the coordinate is i + offset - ratio ...
  int64_t offset = 0;
  double stretch = 1;  // ... times this, which is below 1 under antialias
  double sum = 1;      // what the weights are divided by
  bool extrapolated = false;
};
ResizeTaps resize_taps(const ResizeAttrs& attrs, const ResizeAxis& axis, int64_t o);
double resize_weight(const ResizeAttrs& attrs, const ResizeAxis& axis, const ResizeTaps& taps, int64_t tap);

Result<TensorTypes> infer_resize(const ResizeAttrs& attrs, const InferContext& in);
void resize_reference(const ResizeAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out);
std::vector<RowNeed> resize_rows(const ResizeAttrs& attrs, const InferContext& in, int axis, RowRange rows);

}  // namespace memline::ops

// RoiAlign: each region of interest is cut into output_height x output_width bins; a bin is the mean (or the largest)
// of bilinear samples on a regular grid inside it. A sample further than one pixel outside the map is 0.
//   in   x [N, C, H, W], rois [R, 4] as x0 y0 x1 y1 in the input picture, batch_indices i64 [R]
//   out  [R, C, output_height, output_width]
// A region whose batch index names no picture gives zeros. In mode max a sample is the largest of its four weighted
// neighbours rather than their sum: so do ONNX's node test and its reference.
#include "ops/roi_align.h"

#include <algorithm>
#include <array>

#include "ops/reference.h"

namespace memline::ops {
namespace {

Result<RoiAlignAttrs> import(AttrReader& reader, int opset) {
  MEML_TRY(RoiAlignAttrs attrs, detail::import_fields<RoiAlignAttrs>(reader, opset));
  if (opset < 16) attrs.coordinate_transformation_mode = "output_half_pixel";
  return attrs;
}

Result<TensorTypes> infer(const RoiAlignAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(3, 3));
  MEML_TRY_STATUS(in.expect_float(0));
  MEML_TRY_STATUS(in.expect_float(1));
  MEML_TRY_STATUS(in.expect_rank(0, 4, 4));
  MEML_TRY_STATUS(in.expect_rank(1, 2, 2));
  MEML_TRY_STATUS(in.expect_rank(2, 1, 1));
  if (in.dtype(2) != DType::i64) return invalid_model("batch_indices are {}, needs i64", in.dtype(2));
  MEML_TRY_STATUS(in.expect_equal(in.dims(1)[1], 4, "rois have 4 numbers each"));
  MEML_TRY_STATUS(in.expect_equal(in.dims(1)[0], in.dims(2)[0], "there is one batch index a region"));
  if (attrs.output_height < 1 || attrs.output_width < 1)
    return invalid_model("the output is {} x {}, needs at least 1 x 1", attrs.output_height, attrs.output_width);
  if (attrs.sampling_ratio < 0) return invalid_model("sampling_ratio is {}, needs at least 0", attrs.sampling_ratio);
  if (attrs.mode != "avg" && attrs.mode != "max") return unsupported("mode '{}' is not known", attrs.mode);
  if (attrs.coordinate_transformation_mode != "half_pixel" &&
      attrs.coordinate_transformation_mode != "output_half_pixel")
    return unsupported("coordinate_transformation_mode '{}' is not known", attrs.coordinate_transformation_mode);
  return TensorTypes{{in.dtype(0), {in.dims(1)[0], in.dims(0)[1], attrs.output_height, attrs.output_width}}};
}

// The four weighted neighbours of a sample.
std::array<double, 4> weighted(const TensorView& x, int64_t plane, const RoiNeighbours& h, const RoiNeighbours& w) {
  const auto at = [&](int64_t row, int64_t column) {
    return load<double>(x, plane + row * x.stride(2) + column * x.stride(3));
  };
  if (h.outside || w.outside) return {};
  return {(1 - h.weight) * (1 - w.weight) * at(h.low, w.low), (1 - h.weight) * w.weight * at(h.low, w.high),
          h.weight * (1 - w.weight) * at(h.high, w.low), h.weight * w.weight * at(h.high, w.high)};
}

double bin_value(const RoiAlignAttrs& attrs, const TensorView& x, int64_t plane, const RoiBins& rows,
                 const RoiBins& columns, int64_t bin_h, int64_t bin_w) {
  double sum = 0, largest = 0;
  bool first = true;
  const RowRange is = rows.on_map(bin_h, x.dim(2)), js = columns.on_map(bin_w, x.dim(3));
  for (int64_t i = is.begin; i < is.end; ++i)
    for (int64_t j = js.begin; j < js.end; ++j) {
      const RoiNeighbours h(rows.sample(bin_h, i), x.dim(2)), w(columns.sample(bin_w, j), x.dim(3));
      const std::array<double, 4> parts = weighted(x, plane, h, w);
      sum += parts[0] + parts[1] + parts[2] + parts[3];
      const double sample = *std::max_element(parts.begin(), parts.end());
      largest = first ? sample : std::max(largest, sample);
      first = false;
    }
  const bool all_looked_at = is.end - is.begin == rows.samples && js.end - js.begin == columns.samples;
  if (attrs.mode == "max") return all_looked_at ? largest : std::max(largest, 0.0);
  return sum / samples_of(rows, columns);
}

void reference(const RoiAlignAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &rois = in[1], &batch = in[2], &y = out[0];
  for (int64_t r = 0; r < y.dim(0); ++r) {
    const auto corner = [&](int64_t i) { return load<double>(rois, r * rois.stride(0) + i * rois.stride(1)); };
    const RoiBins rows(attrs, corner(1), corner(3), y.dim(2)), columns(attrs, corner(0), corner(2), y.dim(3));
    const auto picture = load<int64_t>(batch, r * batch.stride(0));
    const bool known = picture >= 0 && picture < x.dim(0);
    for (int64_t c = 0; c < y.dim(1); ++c)
      for (int64_t h = 0; h < y.dim(2); ++h)
        for (int64_t w = 0; w < y.dim(3); ++w) {
          const int64_t plane = picture * x.stride(0) + c * x.stride(1);
          store(y, r * y.stride(0) + c * y.stride(1) + h * y.stride(2) + w * y.stride(3),
                known ? bin_value(attrs, x, plane, rows, columns, h, w) : 0.0);
        }
  }
}

std::vector<RowNeed> rows(const RoiAlignAttrs&, const InferContext&, int axis, RowRange range) {
  std::vector<RowNeed> needs(3);
  if (axis == 0) needs[1] = needs[2] = {.all = false, .axis = 0, .rows = range};
  if (axis == 1) needs[0] = {.all = false, .axis = 1, .rows = range};
  return needs;
}

}  // namespace

OpDef roi_align() {
  return define_op<RoiAlignAttrs>(
      "RoiAlign", {.since_opset = 10, .import = import, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

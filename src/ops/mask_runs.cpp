// MaskRuns (memline): prototype masks -> run lengths in each object's box of the source picture.
//   boxes f32 [K, 4] (network pixels), coefficients f32 [K, M], prototypes f32 [1, M, h, w], picture u8 [H, W, 3] (only
//   its extents)
//   -> boxes f32 [K, 4] (source pixels), runs u32 [R], first run of each object i64 [K + 1], truncated u8 [K]
// The rule of the YOLOv8 interface: logits = coefficients . prototypes; outside the object's cells -50; linear to the
// network's size, cut to the letterboxed picture, linear to the source; a pixel belongs where the logit is above 0 and
// it lies in the object's box. Runs are row-major in the box [floor x0, ceil x1) x [floor y0, ceil y1), background
// first. Objects come in order; one whose runs do not fit into max_runs has none and is marked truncated.
#include "ops/mask_runs.h"

#include <algorithm>
#include <cmath>

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const MaskRunsAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(4, 4));
  MEML_TRY_STATUS(in.expect_rank(0, 2, 2));
  MEML_TRY_STATUS(in.expect_rank(1, 2, 2));
  MEML_TRY_STATUS(in.expect_rank(2, 4, 4));
  MEML_TRY_STATUS(in.expect_rank(3, 3, 3));
  const auto cells_high = in.dims(2)[2].constant(), cells_wide = in.dims(2)[3].constant();
  if (!cells_high || !cells_wide || *cells_high < 1 || attrs.height % *cells_high != 0 ||
      attrs.width % *cells_wide != 0 || attrs.height / *cells_high != attrs.width / *cells_wide)
    return invalid_model("prototypes {} do not divide the network's input {}x{}", in.type(2).text(), attrs.height,
                         attrs.width);
  if (!(in.dims(1)[1] == in.dims(2)[1]))
    return invalid_model("objects have {} coefficients, there are {} prototypes", in.dims(1)[1].text(),
                         in.dims(2)[1].text());
  const DimExpr& objects = in.dims(0)[0];
  const DimExpr runs = in.count("mask runs", DimExpr(attrs.max_runs));
  return TensorTypes{
      {DType::f32, {objects, 4}}, {DType::u32, {runs}}, {DType::i64, {objects + DimExpr(1)}}, {DType::u8, {objects}}};
}

// The logit at a pixel of the network's input: linear between cells.
float network_logit(const float* coefficients, int64_t stride, const TensorView& prototypes, const MaskCells& cells,
                    int64_t cell_pixels, int64_t y, int64_t x) {
  const LinearSample v = linear_sample(y, prototypes.dim(2) * cell_pixels, prototypes.dim(2));
  const LinearSample h = linear_sample(x, prototypes.dim(3) * cell_pixels, prototypes.dim(3));
  const auto cell = [&](int64_t cy, int64_t cx) {
    const bool inside = cx >= cells.x0 && cx < cells.x1 && cy >= cells.y0 && cy < cells.y1;
    return inside ? mask_logit(coefficients, stride, prototypes, cy, cx) : kOutsideLogit;
  };
  const float near = cell(v.near, h.near) + (cell(v.near, h.far) - cell(v.near, h.near)) * h.weight;
  const float far = cell(v.far, h.near) + (cell(v.far, h.far) - cell(v.far, h.near)) * h.weight;
  return near + (far - near) * v.weight;
}

void reference(const MaskRunsAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &boxes = in[0], &coefficients = in[1], &prototypes = in[2];
  const int64_t source_height = in[3].dim(0), source_width = in[3].dim(1);
  const LetterboxGeometry g = letterbox_geometry(source_width, source_height, attrs.width, attrs.height);
  const int64_t cell_pixels = attrs.width / prototypes.dim(3);
  auto* runs = out[1].as<uint32_t>();
  auto* first = out[2].as<int64_t>();
  int64_t used = 0;
  first[0] = 0;
  for (int64_t k = 0; k < boxes.dim(0); ++k) {
    float box[4];
    for (int64_t i = 0; i < 4; ++i) box[i] = boxes.as<const float>()[k * boxes.stride(0) + i * boxes.stride(1)];
    const MaskBox area = mask_box(box, g, source_width, source_height);
    const float corners[4] = {area.x0, area.y0, area.x1, area.y1};
    for (int64_t i = 0; i < 4; ++i) out[0].as<float>()[k * out[0].stride(0) + i * out[0].stride(1)] = corners[i];
    const MaskCells cells = mask_cells(box, cell_pixels, prototypes.dim(3), prototypes.dim(2));
    const float* weights = coefficients.as<const float>() + k * coefficients.stride(0);
    RunWriter writer(runs + used, out[1].dim(0) - used);
    for (int64_t y = area.top; y < area.top + area.height && !writer.full(); ++y) {
      const LinearSample v = linear_sample(y, source_height, g.height);
      for (int64_t x = area.left; x < area.left + area.width; ++x) {
        const LinearSample h = linear_sample(x, source_width, g.width);
        const auto at = [&](int64_t ny, int64_t nx) {
          return network_logit(weights, coefficients.stride(1), prototypes, cells, cell_pixels, g.top + ny,
                               g.left + nx);
        };
        const float near = at(v.near, h.near) + (at(v.near, h.far) - at(v.near, h.near)) * h.weight;
        const float far = at(v.far, h.near) + (at(v.far, h.far) - at(v.far, h.near)) * h.weight;
        writer.add(near + (far - near) * v.weight > 0, 1);
      }
    }
    const int64_t count = writer.finish();
    out[3].as<uint8_t>()[k * out[3].stride(0)] = writer.full() ? 1 : 0;
    if (!writer.full()) used += count;
    first[(k + 1) * out[2].stride(0)] = used;
  }
  out[1].dims[0] = used;
}

}  // namespace

MaskBox mask_box(const float box[4], const LetterboxGeometry& g, int64_t source_width, int64_t source_height) {
  const auto to_source = [&](float value, int64_t shift, int64_t size) {
    const double at = (static_cast<double>(value) - static_cast<double>(shift)) / g.ratio;
    return static_cast<float>(at > 0 ? std::min(at, static_cast<double>(size)) : 0.0);  // NaN becomes 0
  };
  MaskBox b{to_source(box[0], g.left, source_width),
            to_source(box[1], g.top, source_height),
            to_source(box[2], g.left, source_width),
            to_source(box[3], g.top, source_height),
            0,
            0,
            0,
            0};
  b.left = static_cast<int64_t>(b.x0);
  b.top = static_cast<int64_t>(b.y0);
  b.width = std::max<int64_t>(0, static_cast<int64_t>(std::ceil(b.x1)) - b.left);
  b.height = std::max<int64_t>(0, static_cast<int64_t>(std::ceil(b.y1)) - b.top);
  return b;
}

MaskCells mask_cells(const float box[4], int64_t cell_pixels, int64_t cells_wide, int64_t cells_high) {
  const auto cell = [&](float at, bool up, int64_t count) {
    const float c = at / static_cast<float>(cell_pixels);
    const float rounded = up ? std::ceil(c) : std::floor(c);
    return rounded > 0 ? static_cast<int64_t>(std::min(rounded, static_cast<float>(count))) : int64_t{0};
  };
  return {cell(box[0], false, cells_wide), cell(box[1], false, cells_high), cell(box[2], true, cells_wide),
          cell(box[3], true, cells_high)};
}

float mask_logit(const float* coefficients, int64_t stride, const TensorView& prototypes, int64_t y, int64_t x) {
  const float* p = prototypes.as<const float>() + y * prototypes.stride(2) + x * prototypes.stride(3);
  float sum = 0;
  for (int64_t m = 0; m < prototypes.dim(1); ++m) sum += coefficients[m * stride] * p[m * prototypes.stride(1)];
  return sum;
}

OpDef mask_runs() {
  return define_op<MaskRunsAttrs>("MaskRuns", {.domain = "memline", .infer = infer, .reference = reference});
}

}  // namespace memline::ops

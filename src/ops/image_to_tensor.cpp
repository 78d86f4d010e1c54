// ImageToTensor (memline): a source picture, u8 RGB [H, W, 3], letterboxed into f32 [1, 3, height, width] and scaled.
// Linear sampling at half-pixel centres; the geometry is ops/letterbox.h's.
#include "ops/image_to_tensor.h"

#include "ops/letterbox.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const ImageToTensorAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  MEML_TRY_STATUS(in.expect_rank(0, 3, 3));
  if (in.dtype(0) != DType::u8) return invalid_model("needs a u8 picture, got {}", in.dtype(0));
  if (in.dims(0)[2].constant() != 3) return invalid_model("needs a picture [H, W, 3], got {}", in.type(0).text());
  if (attrs.height <= 0 || attrs.width <= 0)
    return invalid_model("height {} and width {} must be above 0", attrs.height, attrs.width);
  return TensorTypes{{DType::f32, {1, 3, attrs.height, attrs.width}}};
}

void reference(const ImageToTensorAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  const auto* source = x.as<const uint8_t>();
  auto* tensor = y.as<float>();
  const LetterboxGeometry g = letterbox_geometry(x.dim(1), x.dim(0), attrs.width, attrs.height);
  for (int64_t row = 0; row < attrs.height; ++row) {
    const bool row_inside = row >= g.top && row < g.top + g.height;
    const LinearSample v = row_inside ? linear_sample(row - g.top, g.height, x.dim(0)) : LinearSample{};
    for (int64_t column = 0; column < attrs.width; ++column) {
      float* at = tensor + row * y.stride(2) + column * y.stride(3);
      if (!row_inside || column < g.left || column >= g.left + g.width) {
        for (int64_t c = 0; c < 3; ++c) at[c * y.stride(1)] = attrs.pad * attrs.scale;
        continue;
      }
      const LinearSample h = linear_sample(column - g.left, g.width, x.dim(1));
      const uint8_t* upper = source + v.near * x.stride(0);
      const uint8_t* lower = source + v.far * x.stride(0);
      for (int64_t c = 0; c < 3; ++c) {
        const auto pixel = [&](const uint8_t* line, int64_t i) {
          return static_cast<float>(line[i * x.stride(1) + c * x.stride(2)]);
        };
        const float top = pixel(upper, h.near) + (pixel(upper, h.far) - pixel(upper, h.near)) * h.weight;
        const float bottom = pixel(lower, h.near) + (pixel(lower, h.far) - pixel(lower, h.near)) * h.weight;
        at[c * y.stride(1)] = (top + (bottom - top) * v.weight) * attrs.scale;
      }
    }
  }
}

}  // namespace

OpDef image_to_tensor() {
  return define_op<ImageToTensorAttrs>("ImageToTensor", {.domain = "memline", .infer = infer, .reference = reference});
}

}  // namespace memline::ops

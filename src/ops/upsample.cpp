// Upsample (opset 7 to 9): Resize as it was before it had coordinate modes. Output index / scale, floored for nearest.
//   in   x, scales (an attribute in opset 7)
#include "ops/resize.h"

namespace memline::ops {
namespace {

Result<ResizeAttrs> import(AttrReader& reader, int opset) {
  if (opset >= 10) return unsupported("Upsample left ONNX with opset 10");
  ResizeAttrs attrs{.coordinate_transformation_mode = "asymmetric", .nearest_mode = "floor", .scales_input = 1};
  MEML_TRY(attrs.mode, reader.string_or("mode", "nearest"));
  if (attrs.mode == "bilinear") attrs.mode = "linear";
  if (opset >= 9) return attrs;
  MEML_TRY(const std::optional<std::vector<float>> scales, reader.find_floats("scales"));
  if (!scales) return invalid_model("attribute 'scales' is required");
  const int64_t dims[] = {static_cast<int64_t>(scales->size())};
  reader.set_constant_input(1, DType::f32, dims, std::as_bytes(std::span(*scales)));
  return attrs;
}

}  // namespace

OpDef upsample() {
  return define_op<ResizeAttrs>(
      "Upsample",
      {.since_opset = 7, .import = import, .infer = infer_resize, .reference = resize_reference, .rows = resize_rows});
}

}  // namespace memline::ops

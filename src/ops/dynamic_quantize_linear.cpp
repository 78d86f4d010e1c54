// DynamicQuantizeLinear: f32 -> u8 with scale and zero point from the data's own range, which is widened to hold 0:
//   scale = (max - min) / 255, zero_point = saturate(round(-min / scale)), y = saturate(round(x / scale) + zero_point)
// Halves round to even. Data that are all 0 have scale 0 in that formula; they give scale 1 and zero point 0, so y is
// 0.
#include <algorithm>
#include <cmath>

#include "ops/op.h"
#include "ops/reference.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  if (in.dtype(0) != DType::f32) return invalid_model("input 0 is {}, needs f32", in.dtype(0));
  TensorTypes types = {
      {.dtype = DType::u8, .dims = in.dims(0)}, {.dtype = DType::f32, .dims = {}}, {.dtype = DType::u8, .dims = {}}};
  if (in.outputs() != types.size()) return invalid_model("has {} outputs, needs 3", in.outputs());
  return types;
}

uint8_t saturated(float x) { return static_cast<uint8_t>(std::clamp(std::isnan(x) ? 0.0f : x, 0.0f, 255.0f)); }

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  float low = 0, high = 0;
  walk<1>(in[0].rank, in[0].dims, {in[0].strides}, [&](const auto& at) {
    const auto x = load<float>(in[0], at[0]);
    low = std::min(low, x);
    high = std::max(high, x);
  });
  const float scale = high > low ? (high - low) / 255.0f : 1.0f;
  const float zero_point = std::nearbyint(std::clamp(-low / scale, 0.0f, 255.0f));
  map<float>(in[0], out[0], [&](float x) { return saturated(std::nearbyint(x / scale) + zero_point); });
  if (out.size() > 1 && out[1].data != nullptr) store(out[1], 0, scale);
  if (out.size() > 2 && out[2].data != nullptr) store(out[2], 0, saturated(zero_point));
}

}  // namespace

OpDef dynamic_quantize_linear() {
  return define_op<NoAttrs>("DynamicQuantizeLinear", {.since_opset = 11, .infer = infer, .reference = reference});
}

}  // namespace memline::ops

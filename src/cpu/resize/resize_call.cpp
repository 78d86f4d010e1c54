#include "cpu/resize/resize_call.h"

#include <algorithm>

namespace memline::cpu {
namespace {

bool is_resize(const OpCall& call) {
  return call.op->domain.empty() && (call.op->name == "Resize" || call.op->name == "Upsample");
}

// Whether the scale of N and C is exactly 1: scales must be known, since 1.001 resamples without changing an extent.
bool keeps_pictures_and_channels(const OpCall& call, const ops::ResizeAttrs& attrs) {
  for (int axis = 0; axis < 2; ++axis)
    if (!(call.in[0].type.dims[static_cast<size_t>(axis)] == call.out[0].type.dims[static_cast<size_t>(axis)]))
      return false;
  const auto scales = static_cast<size_t>(attrs.scales_input);
  if (scales >= call.base_inputs || !call.in[scales].present || call.in[scales].max_dims[0] == 0)
    return true;  // by sizes
  const TensorView& value = call.in[scales].value;
  if (!call.in[scales].is_constant || value.data == nullptr) return false;
  for (int64_t i = 0; i < value.dim(0); ++i) {
    const int64_t axis = attrs.axes.empty() ? i : attrs.axes[static_cast<size_t>(i)];
    if ((axis < 0 ? axis + 4 : axis) < 2 && ops::load<float>(value, i * value.stride(0)) != 1.0f) return false;
  }
  return true;
}

}  // namespace

Support resize_supported(const OpCall& call) {
  MEML_REFUSE_IF(!is_resize(call), "the op is not Resize");
  const CallOperand &x = call.in[0], &y = call.out[0];
  MEML_REFUSE_IF(x.type.rank() != 4, "rank is {}, needs 4", x.type.rank());
  MEML_REFUSE_IF(y.type.dtype != x.type.dtype, "output is {}, input {}", y.type.dtype, x.type.dtype);
  MEML_REFUSE_IF(x.order.axes[3] != 1, "input order {} does not end in the channels", x.order.text());
  const auto& attrs = call.attrs.as<ops::ResizeAttrs>();
  MEML_REFUSE_IF(attrs.antialias, "antialias is on");
  MEML_REFUSE_IF(attrs.coordinate_transformation_mode == "tf_crop_and_resize", "crops");
  MEML_REFUSE_IF(!keeps_pictures_and_channels(call, attrs),
                 "batch or channels are resampled, or scales are not constant");
  MEML_REFUSE_IF(!call.epilogues.empty(), "takes no epilogues");
  return Support::yes();
}

ResizeWeights resize_weights(const ops::ResizeAttrs& attrs, const ops::ResizeAxis& axis, int64_t o) noexcept {
  const ops::ResizeTaps taps = ops::resize_taps(attrs, axis, o);
  ResizeWeights weights{.count = 0};
  for (int64_t t = 0; t < taps.count; ++t) {
    const auto weight = static_cast<float>(ops::resize_weight(attrs, axis, taps, t));
    // A weight of 0 is not read: it may be a NaN's, or outside a band.
    if (weight == 0 && (weights.count > 0 || t + 1 < taps.count)) continue;
    weights.index[weights.count] = static_cast<int32_t>(std::clamp<int64_t>(taps.first + t, 0, axis.in - 1));
    weights.weight[weights.count++] = weight;
  }
  return weights;
}

}  // namespace memline::cpu

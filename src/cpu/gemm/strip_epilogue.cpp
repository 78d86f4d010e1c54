#include "cpu/gemm/strip_epilogue.h"

#include <limits>

namespace memline::cpu {

using Kind = ops::EpilogueKind;

StripEpilogue::StripEpilogue(std::span<const ops::Epilogue> epilogues, const float* own_bias,
                             std::span<const TensorView> in, const TensorView& out, int channel_axis) noexcept {
  bind_epilogue(epilogues, in, out, channel_axis, bound);
  bias = own_bias;
  if (!bias && bound.count > 0 && adds_a_channel_vector(0, channel_axis)) {
    bias = static_cast<const float*>(bound.steps[0].data);
    first = 1;
  }
  int next = first;
  if (next < bound.count) {
    const EpilogueStep& step = bound.steps[static_cast<size_t>(next)];
    if (step.kind == Kind::add && step.channel_stride == 1 && step.is_bf16 == (out.dtype == DType::bf16))
      residual_step = next++ - first;
  }
  low = -std::numeric_limits<float>::infinity();
  high = std::numeric_limits<float>::infinity();
  if (next < bound.count) {
    const EpilogueStep& step = bound.steps[static_cast<size_t>(next)];
    if (step.kind == Kind::relu) {
      low = 0;
      ++next;
    } else if (step.kind == Kind::clip) {
      low = step.a;
      high = step.b;
      ++next;
    }
  }
  direct = next == bound.count;
  f32_outputs = out.dtype == DType::f32;
}

bool StripEpilogue::adds_a_channel_vector(size_t step, int channel_axis) const noexcept {
  const EpilogueStep& s = bound.steps[step];
  if ((s.kind != Kind::bias && s.kind != Kind::add) || s.is_bf16 || s.channel_stride != 1) return false;
  for (int axis = 0; axis < kMaxRank; ++axis)
    if (axis != channel_axis && bound.strides[step][static_cast<size_t>(axis)] != 0) return false;
  return true;
}

void StripEpilogue::fill(StripArgs& args, const int64_t* const* offsets) const noexcept {
  args.bias = bias;
  args.steps = bound.steps.data() + first;
  args.step_count = steps();
  args.row_offsets = offsets;
  args.direct = direct;
  args.f32_outputs = f32_outputs;
  args.low = low;
  args.high = high;
  args.residual = nullptr;
  args.residual_offsets = nullptr;
  if (direct && residual_step >= 0) {
    args.residual = args.steps[residual_step].data;
    args.residual_offsets = offsets[residual_step];
  }
}

}  // namespace memline::cpu

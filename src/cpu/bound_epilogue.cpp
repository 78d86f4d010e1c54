#include "cpu/bound_epilogue.h"

namespace memline::cpu {

Support epilogue_supported(const OpCall& call) {
  MEML_REFUSE_IF(call.epilogues.size() > kMaxEpilogueSteps, "{} epilogues, at most {} can be bound",
                 call.epilogues.size(), kMaxEpilogueSteps);
  for (const ops::Epilogue& epilogue : call.epilogues) {
    if (!epilogue.reads_input()) continue;
    const CallOperand& operand = call.in[static_cast<size_t>(epilogue.input)];
    MEML_REFUSE_IF(operand.type.dtype != DType::f32 && operand.type.dtype != DType::bf16,
                   "the operand of an epilogue is {}, needs f32 or bf16", operand.type.dtype);
    MEML_REFUSE_IF(operand.type.rank() > call.out[0].type.rank(),
                   "the operand of an epilogue has rank {}, the output {}", operand.type.rank(),
                   call.out[0].type.rank());
  }
  return Support::yes();
}

void bind_epilogue(std::span<const ops::Epilogue> epilogues, std::span<const TensorView> in, const TensorView& out,
                   int channel_axis, BoundEpilogue& bound) noexcept {
  bound.count = static_cast<int>(epilogues.size());
  for (size_t s = 0; s < epilogues.size(); ++s) {
    const ops::Epilogue& epilogue = epilogues[s];
    EpilogueStep& step = bound.steps[s];
    step = {.kind = epilogue.kind, .a = epilogue.a, .b = epilogue.b};
    bound.strides[s].fill(0);
    if (!epilogue.reads_input()) continue;
    const TensorView& operand = in[static_cast<size_t>(epilogue.input)];
    step.data = operand.data;
    step.is_bf16 = operand.dtype == DType::bf16;
    const bool is_bias = epilogue.kind == ops::EpilogueKind::bias;
    const int shift = is_bias ? channel_axis : out.rank - operand.rank;  // axes are aligned at the last one
    for (int axis = 0; axis < operand.rank; ++axis)
      bound.strides[s][static_cast<size_t>(axis + shift)] = operand.dim(axis) == 1 ? 0 : operand.stride(axis);
    step.channel_stride = bound.strides[s][static_cast<size_t>(channel_axis)];
  }
}

bool BoundEpilogue::reads_rows(int channel_axis) const {
  for (int s = 0; s < count; ++s)
    for (int axis = 0; axis < kMaxRank; ++axis)
      if (axis != channel_axis && strides[static_cast<size_t>(s)][static_cast<size_t>(axis)] != 0) return true;
  return false;
}

uint64_t epilogue_may_overwrite(const OpCall& call) {
  uint64_t bits = 0;
  for (const ops::Epilogue& epilogue : call.epilogues) {
    if (epilogue.kind != ops::EpilogueKind::add && epilogue.kind != ops::EpilogueKind::mul) continue;
    const CallOperand& operand = call.in[static_cast<size_t>(epilogue.input)];
    if (operand.type == call.out[0].type && operand.order == call.out[0].order) bits |= uint64_t{1} << epilogue.input;
  }
  return bits;
}

}  // namespace memline::cpu

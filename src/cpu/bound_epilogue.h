// A call's epilogue list, checked once and bound to a run's operands for the kernels (cpu/simd/epilogue.h).
//   * supports() says why a list cannot be bound: too long, or an operand that is neither f32 nor bf16.
//   * bind() is on the run path: it fills a fixed array and allocates nothing.
#pragma once

#include <array>

#include "backend/tactic.h"
#include "cpu/simd/epilogue_steps.h"

namespace memline::cpu {

struct BoundEpilogue {
  int count = 0;
  std::array<EpilogueStep, kMaxEpilogueSteps> steps;
  // By step: the operand's stride on each axis of the output, 0 where it is broadcast or the step has no operand.
  std::array<std::array<int64_t, kMaxRank>, kMaxEpilogueSteps> strides;

  // Whether any operand moves with an axis other than the channel's, so that offsets have to be made for each row.
  bool reads_rows(int channel_axis) const;
};

Support epilogue_supported(const OpCall& call);
// Binds call's epilogues to the inputs of a run. channel_axis is a logical axis of `out`; a bias lies along it.
void bind_epilogue(std::span<const ops::Epilogue> epilogues, std::span<const TensorView> in, const TensorView& out,
                   int channel_axis, BoundEpilogue& bound) noexcept;
// Tactic::may_overwrite for the epilogues' operands: those as large as the output, of its dtype, are read before they
// are written.
uint64_t epilogue_may_overwrite(const OpCall& call);

}  // namespace memline::cpu

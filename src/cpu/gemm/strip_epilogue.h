// A run's epilogue in the form strips take it: a bias the sums begin with, then either the direct form (done in
// registers) or steps.
#pragma once

#include "cpu/bound_epilogue.h"
#include "cpu/gemm/strip.h"

namespace memline::cpu {

struct StripEpilogue {
  BoundEpilogue bound;
  int first = 0;  // the first step that is not in `bias`
  const float* bias = nullptr;
  int residual_step = -1;  // of the direct form
  bool direct = false;
  bool f32_outputs = false;
  float low = 0, high = 0;

  // own_bias: the op's own bias input, or null. dtype is the output's.
  StripEpilogue(std::span<const ops::Epilogue> epilogues, const float* own_bias, std::span<const TensorView> in,
                const TensorView& out, int channel_axis) noexcept;

  int steps() const { return bound.count - first; }
  bool has_operand(int step) const { return bound.steps[static_cast<size_t>(first + step)].data != nullptr; }
  const std::array<int64_t, kMaxRank>& strides(int step) const {
    return bound.strides[static_cast<size_t>(first + step)];
  }

  // Fills the members of `args` that speak of the epilogue. offsets: [step], an array of offsets by pixel where
  // has_operand(step).
  void fill(StripArgs& args, const int64_t* const* offsets) const noexcept;

 private:
  bool adds_a_channel_vector(size_t step, int channel_axis) const noexcept;
};

}  // namespace memline::cpu

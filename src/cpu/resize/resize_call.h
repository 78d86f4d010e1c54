// What both tactics of Resize ask of a call, and the weights of a run's axes.
#pragma once

#include "backend/tactic.h"
#include "cpu/resize/resize_kernel.h"
#include "ops/resize.h"

namespace memline::cpu {

// Rank 4, channels innermost in x, only H and W resampled, nothing extrapolated, no antialias, no epilogues.
Support resize_supported(const OpCall& call);

// Output index o of an axis: nearest gives one index of weight 1.
ResizeWeights resize_weights(const ops::ResizeAttrs& attrs, const ops::ResizeAxis& axis, int64_t o) noexcept;

}  // namespace memline::cpu

// From what a caller passes to the state of a run: checks inputs, outputs and the model's conditions, fills slots and
// addresses. Run path: nothing allocates.
#pragma once

#include <span>

#include "runtime/prepared.h"

namespace memline::runtime {

// Code invalid_argument when anything is wrong; then no step may run.
RunStatus accept(Prepared& prepared, std::span<const TensorView> inputs, std::span<const TensorView> outputs) noexcept;

bool holds(const engine::ShapeCondition& condition, const int64_t* slots) noexcept;

// Sets dtype, rank, dims, strides and data of each output from the state after a run.
void describe_outputs(const Prepared& prepared, std::span<TensorView> outputs) noexcept;

}  // namespace memline::runtime

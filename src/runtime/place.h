// Places a step: makes its views and rows from the state of this run. Run path.
#pragma once

#include "runtime/prepared.h"

namespace memline::runtime {

// Evaluates every operand and checks it: inside its memory, and no extent larger than the step's kernel was made for.
RunStatus place_step(const Prepared& prepared, PreparedStep& step) noexcept;

// The same if the step was never placed, or something it depends on has changed since.
RunStatus place_if_changed(const Prepared& prepared, PreparedStep& step) noexcept;

}  // namespace memline::runtime

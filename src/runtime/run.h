// Runs a prepared program whose state was accepted: steps in order, counts to slots, branches and loops. Run path.
#pragma once

#include <span>

#include "runtime/prepared.h"
#include "runtime/session.h"

namespace memline::runtime {

RunStatus run_program(Prepared& prepared, std::span<StepTime> profile) noexcept;

}  // namespace memline::runtime

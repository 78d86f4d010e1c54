// cpu.measure: Measure. A number outside its bounds fails the run.
#pragma once

#include <memory>

#include "backend/tactic.h"

namespace memline::cpu {

std::unique_ptr<Tactic> measure_tactic();

}  // namespace memline::cpu

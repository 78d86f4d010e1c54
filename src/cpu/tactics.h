// The CPU's ordered list of tactics, best first, the reference last: only those that a level can run.
#pragma once

#include <memory>
#include <vector>

#include "backend/tactic.h"
#include "cpu/cpu_level.h"

namespace memline::cpu {

std::vector<std::unique_ptr<Tactic>> make_tactics(CpuLevel level);

}  // namespace memline::cpu

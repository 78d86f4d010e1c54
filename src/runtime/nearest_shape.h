// The nearest input shape that meets the conditions of a program, for the error of a run that broke one.
#pragma once

#include <optional>
#include <vector>

#include "engine/program.h"

namespace memline::runtime {

// Slot values near `slots` at which every condition holds that input extents alone decide; nullopt when a bounded
// search finds none. Extents change one at a time, each by as little as helps, so the answer is near but not always the
// nearest of all.
std::optional<std::vector<int64_t>> nearest_slots(const engine::Program& program, std::vector<int64_t> slots);

}  // namespace memline::runtime

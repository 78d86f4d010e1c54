// cpu.extents: Extents, written from a run's slots.
#pragma once

#include <memory>

#include "backend/tactic.h"

namespace memline::cpu {

std::unique_ptr<Tactic> extents_tactic();

}  // namespace memline::cpu

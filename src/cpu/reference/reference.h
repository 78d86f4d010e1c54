// cpu.reference: any call, through the op's own reference. Always the last tactic of the list.
#pragma once

#include <memory>

#include "backend/tactic.h"

namespace memline::cpu {

std::unique_ptr<Tactic> reference_tactic();

}  // namespace memline::cpu

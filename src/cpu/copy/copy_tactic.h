// cpu.copy: Copy between any two orders, strides and float dtypes.
#pragma once

#include <memory>

#include "backend/tactic.h"

namespace memline::cpu {

std::unique_ptr<Tactic> copy_tactic();

}  // namespace memline::cpu

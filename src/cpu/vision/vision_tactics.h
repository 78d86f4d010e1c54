// cpu.image_to_tensor, cpu.yolo8_select, cpu.mask_runs: the operators that tasks append, with the bytes of their
// references.
#pragma once

#include <memory>

#include "backend/tactic.h"

namespace memline::cpu {

std::unique_ptr<Tactic> image_to_tensor_tactic();
std::unique_ptr<Tactic> yolo8_select_tactic();
std::unique_ptr<Tactic> mask_runs_tactic();

}  // namespace memline::cpu

// cpu.elementwise.<level>: functions of one value or of two that broadcast, with epilogues.
#pragma once

#include <memory>
#include <string_view>

#include "backend/tactic.h"
#include "cpu/elementwise/elementwise_kernel.h"

namespace memline::cpu {

std::unique_ptr<Tactic> elementwise_tactic(std::string_view name, const ElementwiseKernels& kernels);

}  // namespace memline::cpu

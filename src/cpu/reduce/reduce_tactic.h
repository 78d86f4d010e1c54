// cpu.reduce.<level>: ReduceSum, ReduceMean, ReduceMax, ReduceMin and the global pools.
#pragma once

#include <memory>
#include <string_view>

#include "backend/tactic.h"
#include "cpu/reduce/reduce_kernel.h"

namespace memline::cpu {

std::unique_ptr<Tactic> reduce_tactic(std::string_view name, const ReduceKernels& kernels);

}  // namespace memline::cpu

// cpu.pool.<level>: MaxPool and AveragePool.
#pragma once

#include <memory>
#include <string_view>

#include "backend/tactic.h"
#include "cpu/pool/pool_kernel.h"

namespace memline::cpu {

std::unique_ptr<Tactic> pool_tactic(std::string_view name, const PoolKernels& kernels);

}  // namespace memline::cpu

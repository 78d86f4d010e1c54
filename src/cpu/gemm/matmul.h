// cpu.matmul.<level>: MatMul and Gemm whose b is a constant. cpu.runtime_matmul.<level>: any b (attention).
#pragma once

#include <memory>

#include "backend/tactic.h"
#include "cpu/gemm/strip.h"

namespace memline::cpu {

std::unique_ptr<Tactic> matmul_tactic(std::string_view name, const StripKernels& kernels);
std::unique_ptr<Tactic> runtime_matmul_tactic(std::string_view name, const StripKernels& kernels);

}  // namespace memline::cpu

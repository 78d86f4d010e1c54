// Attention by strips: see attention.cpp.
#pragma once

#include <memory>
#include <string>

#include "backend/tactic.h"
#include "cpu/gemm/strip.h"
#include "cpu/softmax/softmax_kernel.h"

namespace memline::cpu {

std::unique_ptr<Tactic> attention_tactic(std::string_view name, const StripKernels& strips,
                                         const SoftmaxKernels& softmax);

}  // namespace memline::cpu

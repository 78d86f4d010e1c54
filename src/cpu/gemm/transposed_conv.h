// ConvTranspose by strips: see transposed_conv.cpp.
#pragma once

#include <memory>
#include <string>

#include "backend/tactic.h"
#include "cpu/gemm/strip.h"

namespace memline::cpu {

std::unique_ptr<Tactic> transposed_conv_tactic(std::string_view name, const StripKernels& kernels);

}  // namespace memline::cpu

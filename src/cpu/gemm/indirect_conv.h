// cpu.indirect_conv.<level>: convolution with any kernel, strides, pads, dilations and groups by strips over pointers.
#pragma once

#include <memory>

#include "backend/tactic.h"
#include "cpu/gemm/strip.h"

namespace memline::cpu {

std::unique_ptr<Tactic> indirect_conv_tactic(std::string_view name, const StripKernels& kernels);

}  // namespace memline::cpu

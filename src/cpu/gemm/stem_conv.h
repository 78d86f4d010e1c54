// cpu.stem_conv.<level>: convolution of a picture with few channels, read in any order, written channels-last.
#pragma once

#include <memory>

#include "backend/tactic.h"
#include "cpu/gemm/strip.h"

namespace memline::cpu {

std::unique_ptr<Tactic> stem_conv_tactic(std::string_view name, const StripKernels& kernels);

}  // namespace memline::cpu

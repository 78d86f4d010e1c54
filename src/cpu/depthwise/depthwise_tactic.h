// cpu.depthwise.<level>: convolutions in which each channel has its own kernel and no other.
#pragma once

#include <memory>
#include <string_view>

#include "backend/tactic.h"
#include "cpu/depthwise/depthwise_kernel.h"

namespace memline::cpu {

std::unique_ptr<Tactic> depthwise_tactic(std::string_view name, const DepthwiseKernels& kernels);

}  // namespace memline::cpu

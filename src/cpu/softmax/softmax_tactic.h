// cpu.softmax.<level>: Softmax along one axis, in any order.
#pragma once

#include <memory>
#include <string_view>

#include "backend/tactic.h"
#include "cpu/softmax/softmax_kernel.h"

namespace memline::cpu {

std::unique_ptr<Tactic> softmax_tactic(std::string_view name, const SoftmaxKernels& kernels);

}  // namespace memline::cpu

// LayerNormalization over the last axis: see layer_norm_tactic.cpp.
#pragma once

#include <memory>
#include <string_view>

#include "backend/tactic.h"
#include "cpu/layer_norm/layer_norm_kernel.h"

namespace memline::cpu {

std::unique_ptr<Tactic> layer_norm_tactic(std::string_view name, const LayerNormKernels& kernels);

}  // namespace memline::cpu

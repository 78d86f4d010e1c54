// Ops that interpolate a map at positions computed in the run: grid_sample_tactic.cpp, roi_align_tactic.cpp.
#pragma once

#include <memory>
#include <string_view>

#include "backend/tactic.h"
#include "cpu/sampling/weighted_sum_kernel.h"

namespace memline::cpu {

std::unique_ptr<Tactic> grid_sample_tactic(std::string_view name, const SamplingKernels& kernels);
std::unique_ptr<Tactic> roi_align_tactic(std::string_view name, const SamplingKernels& kernels);

}  // namespace memline::cpu

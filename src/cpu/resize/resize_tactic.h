// cpu.resize_nearest and cpu.resize.<level>: Resize over the spatial axes of channels-last pictures.
#pragma once

#include <memory>
#include <string_view>

#include "backend/tactic.h"
#include "cpu/resize/resize_kernel.h"

namespace memline::cpu {

std::unique_ptr<Tactic> resize_nearest_tactic();                                             // copies pixels
std::unique_ptr<Tactic> resize_tactic(std::string_view name, const ResizeKernels& kernels);  // linear, cubic

}  // namespace memline::cpu

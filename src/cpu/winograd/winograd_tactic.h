// cpu.winograd{43,23}.{packed,incall}.<level>: 3x3 convolutions of stride 1 with fewer multiplications.
#pragma once

#include <memory>
#include <string_view>

#include "backend/tactic.h"
#include "cpu/winograd/winograd_kernel.h"

namespace memline::cpu {

// When the weights are transformed: at build (packed bytes are (tile + 2)^2 / 9 times the weights), or in each call, 64
// output channels at a time in workspace.
enum class WinogradWeightsAt { build, call };

std::unique_ptr<Tactic> winograd_tactic(std::string_view name, const WinogradKernels& kernels,
                                        WinogradWeightsAt weights);

}  // namespace memline::cpu

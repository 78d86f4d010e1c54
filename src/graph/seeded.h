// Values of a constant from a fixed seed: what graph text and tests use where the numbers do not matter.
#pragma once

#include <string_view>

#include "graph/graph.h"

namespace memline {

// Floats in [-1, 1), or in [0.5, 1.5) when the name begins with "var" (variances); integers in [0, 8); booleans 0 or 1.
Constant seeded_constant(DType dtype, std::span<const int64_t> dims, std::string_view name);

}  // namespace memline

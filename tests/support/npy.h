// Reads NumPy's .npy files (version 1 and 2, little-endian, C order) as constants.
#pragma once

#include <string>

#include "graph/graph.h"

namespace memline::test {

Result<Constant> read_npy(const std::string& path);

}  // namespace memline::test

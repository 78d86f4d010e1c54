// Builds in a child process, so that the build's memory is never part of the run's peak.
#pragma once

#include <string>
#include <vector>

#include "memline/result.hpp"

namespace memline::cli {

// Runs `memline build --json` with these arguments. The error of a failed build comes back as it was.
Status build_in_child(const std::vector<std::string>& arguments);

}  // namespace memline::cli

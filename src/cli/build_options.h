// The options that build, plan and the commands that build for themselves share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "memline/tools.hpp"

namespace memline::cli {

// The texts as they stand on the command line; checked by build_options().
struct BuildFlags {
  std::string device = "cpu", precision = "fp32", cpu_level, tune = "quick", plan = "fit";
  std::string memory, memory_total, build_memory, timing_cache, task, family, source_max, max_mask_bytes;
  std::vector<std::string> shapes, max, skip;
  int threads = 0;
  bool exact = false;
};

void add_build_flags(CLI::App* command, BuildFlags& flags);
// Errors: invalid_argument naming the option, what was found and what is needed.
Result<tools::BuildOptions> build_options(const BuildFlags& flags);

}  // namespace memline::cli

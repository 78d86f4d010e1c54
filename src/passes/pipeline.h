// Runs passes in order until each finds nothing more; the graph is verified after every patch. `skip` switches passes
// off by name: that is how a wrong result is bisected.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "passes/pass.h"

namespace memline::passes {

struct Pass {
  std::string_view name;
  PassFunction run;
};
std::span<const Pass> default_pipeline();

// One line of the pass log.
struct PassResult {
  std::string name;
  int hits = 0;
  int64_t microseconds = 0;  // with applying and verifying
  bool skipped = false;
};

struct PipelineOptions {
  std::vector<std::string> skip;
};

// Errors: invalid_argument, for a name in `skip` that no pass has; others carry the pass's name.
Result<std::vector<PassResult>> run(std::span<const Pass> passes, Graph& graph, const PipelineOptions& options = {});

}  // namespace memline::passes

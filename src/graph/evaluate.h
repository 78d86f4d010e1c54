// Runs a whole graph, or one node of it, on the ops' references: slow and obvious. Constant folding and the tests of
// passes, tasks and importers use it; sessions never do. Buffers come from malloc and are given back behind their last
// reader.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"

namespace memline {

struct EvaluateOptions {
  int64_t max_live_bytes = int64_t{4} << 30;  // of intermediate values at one time
};

// The graph's outputs for these inputs, in the graph's order. Strides are those of the bound where an extent depends on
// data. Errors: invalid_argument (an input's dtype or shape); over_budget (max_live_bytes; names the value);
// unsupported (blocks).
Result<std::vector<Constant>> evaluate(const Graph& graph, std::span<const TensorView> inputs,
                                       const EvaluateOptions& options = {});

// The outputs of one node for these inputs (all of the node's, data == nullptr where absent). Works on unfinished
// graphs.
Result<std::vector<Constant>> evaluate_node(const Graph& graph, NodeId node, std::span<const TensorView> inputs,
                                            const EvaluateOptions& options = {});

// The bytes of a view as a dense row-major constant of our own.
Constant densify(const TensorView& view);

}  // namespace memline

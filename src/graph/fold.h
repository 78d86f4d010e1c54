// Computes a node whose result is known before any run: its inputs are constants, or shape arithmetic knows its
// integers.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace memline {

// The constant that a value is or has become; nullptr when it is none.
using KnownConstants = std::function<const Constant*(ValueId)>;

// The node's outputs as dense constants; nullopt when they are not known, or take more than `max_bytes`. Works on
// unfinished graphs.
Result<std::optional<std::vector<Constant>>> fold_node(const Graph& graph, NodeId node, int64_t max_bytes,
                                                       const KnownConstants& known);
// With the graph's own constants.
Result<std::optional<std::vector<Constant>>> fold_node(const Graph& graph, NodeId node, int64_t max_bytes);

}  // namespace memline

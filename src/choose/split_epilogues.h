// Splits off the part of a fused node's epilogue list that no tactic takes: the base op with the first `kept` of them,
// then an Identity with the rest, which the elementwise kernels take. Instead of the whole list on the reference.
#pragma once

#include <optional>
#include <span>

#include "base/result.h"
#include "graph/graph.h"

namespace memline {

struct EpilogueSplit {
  NodeId node = kNoNode;
  size_t kept = 0;  // epilogues that stay with the base op
};

// The node with its first `kept` epilogues only, and the inputs that those read.
Node with_epilogues(const Node& node, size_t kept);

// Whether the rest can stand alone, and is less than the node: a bias counts its channels on an axis that the base op
// names.
bool can_split(const Node& node, size_t kept);

Result<Graph> split_epilogues(const Graph& graph, std::span<const EpilogueSplit> splits);

}  // namespace memline

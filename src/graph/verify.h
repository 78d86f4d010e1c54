// Checks every invariant of a Graph: topological order, one producer a value, ids in range, types that infer gives
// again, epilogue inputs in range and broadcastable, outputs named, blocks verified. Runs after import and after
// every pass.
#pragma once

#include "graph/graph.h"

namespace memline {

Status verify(const Graph& graph);

}  // namespace memline

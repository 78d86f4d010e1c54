// Drops nodes from which no path leads to an output of the graph. Operators have no side effects, so nobody can tell.
#include "passes/pass.h"

namespace memline::passes {

Result<Patch> remove_dead_nodes(const Graph& graph) {
  std::vector<bool> needed(graph.value_count());
  for (const ValueId output : graph.outputs()) needed[static_cast<size_t>(output)] = true;
  Patch patch(graph);
  for (auto id = static_cast<NodeId>(graph.nodes().size()) - 1; id >= 0; --id) {
    const Node& node = graph.node(id);
    bool alive = false;
    for (const ValueId output : node.outputs) alive = alive || needed[static_cast<size_t>(output)];
    if (!alive) {
      patch.drop(id);
      patch.count_hit();
      continue;
    }
    for (const ValueId input : node.inputs)
      if (input != kNoValue) needed[static_cast<size_t>(input)] = true;
  }
  return patch;
}

}  // namespace memline::passes

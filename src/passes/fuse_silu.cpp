// x * Sigmoid(x) becomes Silu(x). Other readers of x do not matter; the sigmoid must have no other.
#include "ops/registry.h"
#include "passes/match.h"
#include "passes/pass.h"

namespace memline::passes {

Result<Patch> fuse_silu(const Graph& graph) {
  Patch patch(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const Node& sigmoid = graph.node(id);
    if (!is_plain(sigmoid, "Sigmoid")) continue;
    const ValueId x = sigmoid.inputs[0];
    const NodeId product = sole_reader(graph, sigmoid.outputs[0], "Mul");
    if (product == kNoNode || other_input(graph.node(product), sigmoid.outputs[0]) != x) continue;
    const ValueId y = graph.node(product).outputs[0];
    const auto fused = patch.add_node({.name = graph.node(product).name,
                                       .op = ops::find("Silu", "memline"),
                                       .inputs = {x},
                                       .output_names = {graph.value(y).name}});
    patch.redirect(y, fused[0]);
    patch.drop(id);
    patch.drop(product);
    patch.count_hit();
  }
  return patch;
}

}  // namespace memline::passes

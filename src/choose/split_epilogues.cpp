#include "choose/split_epilogues.h"

#include <algorithm>

#include "graph/patch.h"
#include "ops/registry.h"

namespace memline {
namespace {

const ops::OpDef* identity() { return ops::find("Identity"); }

// Epilogues [first, last) of `node`, on inputs that begin with `inputs`; what they read is added behind.
std::vector<ops::Epilogue> moved_epilogues(const Node& node, size_t first, size_t last, std::vector<ValueId>& inputs) {
  std::vector<ops::Epilogue> moved(node.epilogues.begin() + static_cast<ptrdiff_t>(first),
                                   node.epilogues.begin() + static_cast<ptrdiff_t>(last));
  for (ops::Epilogue& epilogue : moved) {
    if (!epilogue.reads_input()) continue;
    inputs.push_back(node.inputs[static_cast<size_t>(epilogue.input)]);
    epilogue.input = static_cast<int32_t>(inputs.size()) - 1;
  }
  return moved;
}

}  // namespace

Node with_epilogues(const Node& node, size_t kept) {
  Node base = node;
  base.inputs.resize(node.base_inputs);
  base.epilogues = moved_epilogues(node, 0, kept, base.inputs);
  return base;
}

bool can_split(const Node& node, size_t kept) {
  if (node.op == identity() && kept == 0) return false;  // it would be the same again
  const auto rest = std::span(node.epilogues).subspan(kept);
  const bool has_bias = std::any_of(
      rest.begin(), rest.end(), [](const ops::Epilogue& epilogue) { return epilogue.kind == ops::EpilogueKind::bias; });
  return node.outputs.size() == 1 && (!has_bias || node.op->channel_axis == identity()->channel_axis);
}

Result<Graph> split_epilogues(const Graph& graph, std::span<const EpilogueSplit> splits) {
  Patch patch(graph);
  for (const auto& [id, kept] : splits) {
    const Node& node = graph.node(id);
    Node base = with_epilogues(node, kept);
    const std::string& output = graph.value(node.outputs[0]).name;
    const ValueId before = patch.add_node({.name = node.name,
                                           .op = node.op,
                                           .attrs = node.attrs,
                                           .inputs = std::move(base.inputs),
                                           .output_names = {output + "@base"},
                                           .epilogues = std::move(base.epilogues),
                                           .base_inputs = node.base_inputs})[0];
    std::vector<ValueId> inputs = {before};
    std::vector<ops::Epilogue> rest = moved_epilogues(node, kept, node.epilogues.size(), inputs);
    const ValueId after = patch.add_node({.name = node.name + "@epilogues",
                                          .op = identity(),
                                          .inputs = std::move(inputs),
                                          .output_names = {output},
                                          .epilogues = std::move(rest),
                                          .base_inputs = 1})[0];
    patch.redirect(node.outputs[0], after);
    patch.drop(id);
  }
  return apply(graph, patch);
}

}  // namespace memline

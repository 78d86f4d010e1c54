// Equal nodes (same operator, attributes, epilogues and inputs) are computed once, and equal constants are kept once.
// Large constants are compared by address only: reading every weight to find a twin would make the whole model
// resident. Nodes that are needed in different branches stay apart: a branch that is not taken must not run.
#include <cstring>
#include <unordered_map>

#include "graph/guards.h"
#include "passes/pass.h"

namespace memline::passes {
namespace {

constexpr int64_t kComparedBytes = 64 * 1024;

int64_t bytes_of(const TensorView& view) { return view.elements() * size_of(view.dtype); }

std::string constant_key(const Value& value) {
  const TensorView& view = value.constant->view;
  const int64_t bytes = bytes_of(view);
  std::string key = value.type.text() + "|";
  if (bytes > kComparedBytes) return key + fmt::format("@{}", view.data);
  return key.append(static_cast<const char*>(view.data), static_cast<size_t>(bytes));
}

std::string node_key(const Graph& graph, const Node& node, const std::vector<ValueId>& same_as, const Guards& guards) {
  std::string key = fmt::format("{}.{}({}", node.op->domain, node.op->name, node.base_inputs);
  for (const ValueId input : node.inputs)
    key += fmt::format(",{}", input == kNoValue ? input : same_as[static_cast<size_t>(input)]);
  key += ")" + node.attrs.text();
  for (const ops::Epilogue& epilogue : node.epilogues) key += "|" + ops::epilogue_text(epilogue);
  for (const Guard& guard : guards) key += fmt::format("?{}{}", guard.select, guard.when ? "+" : "-");
  // Two nodes that count data have each a count of their own, so their types differ.
  for (const ValueId output : node.outputs) key += "->" + graph.value(output).type.text();
  return key;
}

}  // namespace

Result<Patch> merge_same(const Graph& graph) {
  Patch patch(graph);
  std::vector<ValueId> same_as(graph.value_count());
  for (size_t i = 0; i < same_as.size(); ++i) same_as[i] = static_cast<ValueId>(i);
  std::unordered_map<std::string, ValueId> constants;
  for (size_t i = 0; i < graph.value_count(); ++i) {
    const auto id = static_cast<ValueId>(i);
    if (!graph.is_constant(id) || graph.value(id).constant->view.elements() == 0) continue;
    const ValueId first = constants.emplace(constant_key(graph.value(id)), id).first->second;
    if (first == id || (graph.readers(id).empty() && !graph.is_output(id))) continue;
    same_as[i] = first;
    patch.redirect(id, first);
    patch.count_hit();
  }
  const std::vector<Guards> guards = guards_of(graph);
  std::unordered_map<std::string, NodeId> nodes;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const Node& node = graph.node(id);
    if (!node.op->deterministic || !node.blocks.empty()) continue;
    const NodeId first = nodes.emplace(node_key(graph, node, same_as, guards[i]), id).first->second;
    if (first == id) continue;
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      same_as[static_cast<size_t>(node.outputs[k])] = graph.node(first).outputs[k];
      patch.redirect(node.outputs[k], graph.node(first).outputs[k]);
    }
    patch.drop(id);
    patch.count_hit();
  }
  return patch;
}

}  // namespace memline::passes

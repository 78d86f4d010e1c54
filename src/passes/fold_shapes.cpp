// Shape arithmetic leaves the graph: a value whose integers are known as expressions over slots is written from the
// slots (memline.Extents), and the nodes that computed it are not needed any more. Where a reader needs it only to know
// how large its output is, nothing will be written either: see choose/lower.cpp.
#include <algorithm>

#include "ops/extents.h"
#include "ops/registry.h"
#include "passes/pass.h"

namespace memline::passes {
namespace {

// For each slot that a node finds: the value in whose dims it stands first.
class Finders {
 public:
  explicit Finders(const Graph& graph) : graph_(graph), by_slot_(graph.slots().size(), kNoValue) {
    std::vector<bool> given(graph.slots().size());
    for (const ValueId input : graph.inputs())
      for (const DimExpr& dim : graph.value(input).type.dims)
        if (const auto slot = dim.slot_index()) given[static_cast<size_t>(*slot)] = true;
    given_ = std::move(given);
    for (const Node& node : graph.nodes())
      for (const ValueId output : node.outputs)
        for (const DimExpr& dim : graph.value(output).type.dims)
          if (const auto slot = dim.slot_index(); slot && by_slot_[static_cast<size_t>(*slot)] == kNoValue)
            by_slot_[static_cast<size_t>(*slot)] = output;
  }

  // Adds the values behind which `expression` is known; false when a slot of it comes from elsewhere.
  bool add(const DimExpr& expression, std::vector<ValueId>& values) const {
    std::vector<int32_t> slots;
    expression.collect_slots(slots);
    for (const int32_t slot : slots) {
      const auto s = static_cast<size_t>(slot);
      if (given_[s]) continue;
      if (const auto& value = graph_.slots()[s].value) {
        if (!add(*value, values)) return false;
        continue;
      }
      if (by_slot_[s] == kNoValue) return false;
      if (std::find(values.begin(), values.end(), by_slot_[s]) == values.end()) values.push_back(by_slot_[s]);
    }
    return true;
  }

 private:
  const Graph& graph_;
  std::vector<bool> given_;
  std::vector<ValueId> by_slot_;
};

// Constants are folded elsewhere. Nodes of ours are what this pass has made, and Measure, where integers come from.
bool is_arithmetic(const Graph& graph, const Node& node) {
  if (node.outputs.empty() || node.op->domain == "memline" || !node.blocks.empty()) return false;
  const Value& value = graph.value(node.outputs[0]);
  if (!value.integers || value.integers->empty()) return false;
  return std::any_of(value.integers->begin(), value.integers->end(),
                     [](const DimExpr& integer) { return !integer.is_constant(); });
}

// Somebody who stays reads it.
bool is_needed(const Graph& graph, const Node& node, const std::vector<bool>& arithmetic) {
  const ValueId output = node.outputs[0];
  const auto stays = [&](NodeId reader) { return !arithmetic[static_cast<size_t>(reader)]; };
  return graph.is_output(output) || std::any_of(graph.readers(output).begin(), graph.readers(output).end(), stays);
}

}  // namespace

Result<Patch> fold_shapes(const Graph& graph) {
  Patch patch(graph);
  const Finders finders(graph);
  std::vector<bool> arithmetic(graph.nodes().size());
  for (size_t i = 0; i < arithmetic.size(); ++i) arithmetic[i] = is_arithmetic(graph, graph.nodes()[i]);
  for (size_t i = 0; i < arithmetic.size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (!arithmetic[i] || !is_needed(graph, node, arithmetic)) continue;
    const Value& value = graph.value(node.outputs[0]);
    GraphBuilder::NodeSpec spec{.name = node.name, .op = ops::find("Extents", "memline"), .output_names = {value.name}};
    const bool known = std::all_of(value.integers->begin(), value.integers->end(),
                                   [&](const DimExpr& integer) { return finders.add(integer, spec.inputs); });
    if (!known) continue;
    ops::ExtentsAttrs attrs{.dtype = value.type.dtype, .elements = ops::elements_text(*value.integers)};
    for (const DimExpr& dim : value.type.dims) attrs.dims.push_back(*dim.constant());
    spec.attrs = ops::Attrs::of(std::move(attrs));
    patch.redirect(node.outputs[0], patch.add_node(std::move(spec))[0]);
    patch.count_hit();
  }
  return patch;
}

}  // namespace memline::passes

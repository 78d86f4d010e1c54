#include "graph/verify.h"

#include <algorithm>

#include "graph/infer.h"

namespace memline {
namespace {

// Answers a second inference with the slots the first one gave out: those that stand in the node's outputs but in none
// of its inputs, in the order in which they were made.
class SameSlots final : public ops::SlotSource {
 public:
  SameSlots(const Graph& graph, const SlotBounds& bounds, const Node& node) : bounds_(bounds) {
    std::vector<int32_t> known;
    for (const ValueId id : node.inputs)
      if (id != kNoValue) collect(graph.value(id), known);
    for (const ValueId id : node.outputs) collect(graph.value(id), fresh_);
    std::sort(fresh_.begin(), fresh_.end());
    fresh_.erase(std::unique(fresh_.begin(), fresh_.end()), fresh_.end());
    std::erase_if(fresh_, [&](int32_t slot) {
      const bool computed = graph.slots()[static_cast<size_t>(slot)].value.has_value();
      return computed || std::find(known.begin(), known.end(), slot) != known.end();
    });
  }

  DimExpr new_slot(std::string_view, const DimExpr&) override {
    // A count that reached no output has no slot to compare with; any will do, as none of the outputs can tell.
    return next_ < fresh_.size() ? DimExpr::slot(fresh_[next_++]) : DimExpr(0);
  }
  Status demand(const DimExpr&, std::string_view) override { return {}; }
  std::optional<int64_t> bound(const DimExpr& expression) const override { return bounds_.maximum(expression); }
  std::optional<int64_t> limit() const override { return 0; }  // it was there, or the node would not be

 private:
  static void collect(const Value& value, std::vector<int32_t>& slots) {
    const auto add = [&](const DimExpr& expression) {
      std::vector<int32_t> own;
      expression.collect_slots(own);
      slots.insert(slots.end(), own.begin(), own.end());
    };
    for (const DimExpr& dim : value.type.dims) add(dim);
    if (value.integers)
      for (const DimExpr& integer : *value.integers) add(integer);
  }

  const SlotBounds& bounds_;
  std::vector<int32_t> fresh_;
  size_t next_ = 0;
};

bool same_type(const Graph& graph, const TensorType& stored, const TensorType& inferred) {
  if (stored.dtype != inferred.dtype || stored.rank() != inferred.rank()) return false;
  for (size_t i = 0; i < stored.dims.size(); ++i) {
    const DimExpr& dim = stored.dims[i];
    if (dim == inferred.dims[i]) continue;
    const auto slot = dim.slot_index();
    if (!slot || graph.slots()[static_cast<size_t>(*slot)].value != inferred.dims[i]) return false;
  }
  return true;
}

Status check_slots(const Graph& graph, const Value& value) {
  std::vector<int32_t> used;
  for (const DimExpr& dim : value.type.dims) dim.collect_slots(used);
  for (const int32_t slot : used)
    if (slot < 0 || static_cast<size_t>(slot) >= graph.slots().size())
      return internal("value '{}' uses slot {} of {}", value.name, slot, graph.slots().size());
  return {};
}

Status check_node(const Graph& graph, const SlotBounds& bounds, NodeId id) {
  const std::vector<Value>& values = graph.values();
  const Node& node = graph.node(id);
  if (node.op == nullptr) return internal("node '{}' has no operator", node.name);
  if (node.base_inputs > node.inputs.size())
    return internal("{} of {} inputs belong to the op", node.base_inputs, node.inputs.size());
  for (const ValueId input : node.inputs) {
    if (input == kNoValue) continue;
    if (input < 0 || static_cast<size_t>(input) >= values.size())
      return internal("reads value {} of {}", input, values.size());
    if (graph.producer(input) >= id) return internal("reads '{}' before it is made", graph.value(input).name);
  }
  for (const ValueId output : node.outputs)
    if (graph.producer(output) != id) return internal("value '{}' has two producers", graph.value(output).name);
  const auto inputs = infer_inputs(values, std::span<const ValueId>(node.inputs).first(node.base_inputs));
  SameSlots slots(graph, bounds, node);
  MEML_TRY(const Inferred again, infer_node(*node.op, node.attrs, inputs, node.outputs.size(), slots));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const TensorType& stored = graph.value(node.outputs[i]).type;
    if (!same_type(graph, stored, again.types[i]))
      return internal("output '{}' is {}, but its inputs make it {}", graph.value(node.outputs[i]).name, stored.text(),
                      again.types[i].text());
  }
  if (node.epilogues.empty()) return {};
  return check_epilogues(*node.op, node.epilogues, values, node.inputs, graph.value(node.outputs[0]).type);
}

}  // namespace

Status verify(const Graph& graph) {
  const SlotBounds bounds = graph.slot_bounds();
  for (const Value& value : graph.values()) MEML_TRY_STATUS(check_slots(graph, value));
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    auto status = check_node(graph, bounds, static_cast<NodeId>(i));
    if (!status) return with_prefix(std::move(status).error(), node.op ? node_label(*node.op, node.name) : node.name);
    for (const auto& block : node.blocks) {
      auto inside = verify(*block);
      if (!inside) return with_prefix(std::move(inside).error(), node_label(*node.op, node.name));
    }
  }
  if (graph.outputs().size() != graph.output_names().size())
    return internal("{} outputs have {} names", graph.outputs().size(), graph.output_names().size());
  for (const ValueId output : graph.outputs())
    if (output < 0 || static_cast<size_t>(output) >= graph.value_count()) return internal("an output is no value");
  return {};
}

}  // namespace memline

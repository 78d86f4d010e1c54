// GraphBuilder: values and nodes one after the other, each node's types inferred as it comes.
#include <algorithm>
#include <utility>

#include "graph/graph.h"
#include "graph/infer.h"
#include "graph/verify.h"
#include "ops/measure.h"
#include "ops/registry.h"

namespace memline {

// Gives a node's counts slots of their own and keeps the conditions it demands.
class GraphBuilder::NodeSlots final : public ops::SlotSource {
 public:
  NodeSlots(std::string_view label, std::string_view name, GraphBuilder& builder)
      : label_(label), name_(name), builder_(builder) {}

  DimExpr new_slot(std::string_view what, const DimExpr& bound) override {
    const int64_t most = std::min(std::max<int64_t>(0, builder_.bound(bound)), limit().value_or(ops::kUnbounded));
    return builder_.add_slot(fmt::format("{}: {}", label_, what), {0, most},
                             std::min(most, bound.evaluate(builder_.slot_opts_.data())));
  }

  Status demand(const DimExpr& condition, std::string_view what) override {
    const Interval range = condition.bounds(builder_.bounds_.ranges());
    if (range.min == 0 && range.max == 0) return invalid_model("{}: no shape in the given ranges meets it", what);
    if (range.min > 0 || range.max < 0) return {};
    const bool is_truth_value = range.min == 0 && range.max == 1;
    builder_.add_condition({.left = is_truth_value ? condition : equal(condition, 0),
                            .right = is_truth_value ? 1 : 0,
                            .demanded_by = fmt::format("{}: {}", label_, what)});
    return {};
  }

  // What is too large to carry along becomes a slot that is computed once a run.
  void shrink(DimExpr& expression) {
    if (!expression.too_large()) return;
    auto& slots = builder_.graph_.slots_;
    const auto same = std::find_if(slots.begin(), slots.end(), [&](const Slot& s) { return s.value == expression; });
    if (same != slots.end()) {
      expression = DimExpr::slot(static_cast<int32_t>(same - slots.begin()));
      return;
    }
    const DimExpr slot = builder_.add_slot({.name = fmt::format("{}: size", label_),
                                            .range = {builder_.bounds_.minimum(expression), builder_.bound(expression)},
                                            .opt = expression.evaluate(builder_.slot_opts_.data()),
                                            .value = expression});
    expression = slot;
  }

  std::optional<int64_t> limit() const override {
    const auto found = builder_.limits_.find(name_);
    if (found == builder_.limits_.end()) return std::nullopt;
    found->second.used = true;
    return found->second.most;
  }

  Failure measure(size_t input, std::span<const Interval> ranges, std::string_view what) override {
    Wanted wanted{input, {ranges.begin(), ranges.end()}};
    for (Interval& range : wanted.ranges) {
      const auto most = limit();
      if (!most && range.max == ops::kUnbounded)
        return unsupported("{} (input {}) is computed from data, and nothing bounds it; give a bound: --max {}=N", what,
                           input, name_);
      range.min = std::max(range.min, -most.value_or(ops::kUnbounded));
      range.max = std::min(range.max, most.value_or(ops::kUnbounded));
    }
    wanted_ = std::move(wanted);
    return unsupported("{} (input {}) is computed from data at run time", what, input);
  }
  std::optional<int64_t> bound(const DimExpr& expression) const override { return builder_.bound(expression); }

  struct Wanted {
    size_t input = 0;
    std::vector<Interval> ranges;
  };
  // What the last inference wanted to have measured.
  std::optional<Wanted> take_wanted() { return std::exchange(wanted_, std::nullopt); }

 private:
  std::string_view label_, name_;
  GraphBuilder& builder_;
  std::optional<Wanted> wanted_;
};

GraphBuilder::GraphBuilder(const Graph& base) : edits_(true) {
  graph_.slots_ = base.slots_;
  graph_.conditions_ = base.conditions_;
  graph_.metadata_ = base.metadata_;
  bounds_ = base.slot_bounds();
  slot_opts_ = base.opt_slots();
  for (size_t i = 0; i < graph_.conditions_.size(); ++i)
    conditions_by_hash_.emplace(graph_.conditions_[i].left.hash(), i);
}

DimExpr GraphBuilder::add_slot(std::string name, Interval range, int64_t opt) {
  return add_slot({.name = std::move(name), .range = range, .opt = opt});
}

DimExpr GraphBuilder::add_slot(Slot slot) {
  bounds_.add(slot.range, slot.value);
  slot_opts_.push_back(slot.opt);
  graph_.slots_.push_back(std::move(slot));
  return DimExpr::slot(static_cast<int32_t>(graph_.slots_.size() - 1));
}

ValueId GraphBuilder::add_value(Value value, NodeId producer) {
  graph_.values_.push_back(std::move(value));
  graph_.producers_.push_back(producer);
  return static_cast<ValueId>(graph_.values_.size() - 1);
}

ValueId GraphBuilder::add_input(std::string name, TensorType type) {
  const ValueId id = add_value({.name = std::move(name), .type = std::move(type)}, kNoNode);
  graph_.inputs_.push_back(id);
  return id;
}

ValueId GraphBuilder::add_constant(std::string name, Constant constant) {
  TensorType type{.dtype = constant.view.dtype};
  for (int i = 0; i < constant.view.rank; ++i) type.dims.emplace_back(constant.view.dim(i));
  auto integers = constant_integers(constant.view);
  auto reals = constant_reals(constant.view);
  return add_value({.name = std::move(name),
                    .type = std::move(type),
                    .constant = std::move(constant),
                    .integers = std::move(integers),
                    .reals = std::move(reals)},
                   kNoNode);
}

// The types of a node's outputs, with slots for what is too large. Where the rule asks for integers that only the data
// knows, the node is made to read them through a Measure, and the rule is asked again.
Result<Inferred> GraphBuilder::infer(NodeSpec& spec, std::string_view label) {
  for (;;) {
    const auto inputs = infer_inputs(graph_.values_, std::span<const ValueId>(spec.inputs).first(spec.base_inputs));
    NodeSlots slots(label, spec.name, *this);
    auto inferred = infer_node(*spec.op, spec.attrs, inputs, spec.output_names.size(), slots);
    if (const auto wanted = slots.take_wanted(); wanted && !inferred) {
      ValueId& input = spec.inputs[wanted->input];
      MEML_TRY(input, measure(input, spec.name, wanted->ranges));
      continue;
    }
    if (!inferred) return inferred;
    for (TensorType& type : inferred->types)
      for (DimExpr& dim : type.dims) slots.shrink(dim);
    if (inferred->integers)
      for (DimExpr& integer : *inferred->integers) slots.shrink(integer);
    return inferred;
  }
}

Result<ValueId> GraphBuilder::measure(ValueId value, const std::string& node, std::span<const Interval> ranges) {
  ops::MeasureAttrs attrs;
  NodeSpec spec{.name = fmt::format("{}:{}", node, this->value(value).name),
                .op = ops::find("Measure", "memline"),
                .inputs = {value},
                .output_names = {this->value(value).name + ":measured"}};
  for (size_t k = 0; k < ranges.size(); ++k) {
    attrs.least.push_back(ranges[k].min);
    attrs.most.push_back(ranges[k].max);
    spec.output_names.push_back(fmt::format("{}[{}]", this->value(value).name, k));
  }
  spec.attrs = ops::Attrs::of(attrs);
  MEML_TRY(const std::vector<ValueId> outputs, add_node(std::move(spec)));
  std::vector<DimExpr> integers;
  for (size_t k = 0; k < ranges.size(); ++k)
    integers.push_back(this->value(outputs[k + 1]).type.dims[0] + ranges[k].min);
  graph_.values_[static_cast<size_t>(outputs[0])].integers = std::move(integers);
  return outputs[0];
}

Result<std::vector<ValueId>> GraphBuilder::add_node(NodeSpec spec) {
  MEML_CHECK(spec.op != nullptr);
  const std::string label = node_label(*spec.op, spec.name);
  if (spec.base_inputs == 0 && spec.epilogues.empty() && spec.blocks.empty()) spec.base_inputs = spec.inputs.size();
  if (spec.base_inputs > spec.inputs.size())
    return internal("{}: {} of {} inputs belong to the op", label, spec.base_inputs, spec.inputs.size());
  for (const ValueId id : spec.inputs)
    if (id != kNoValue && (id < 0 || static_cast<size_t>(id) >= graph_.values_.size()))
      return internal("{}: reads value {} of {}", label, id, graph_.values_.size());
  auto inferred = infer(spec, label);
  if (!inferred) return with_prefix(std::move(inferred).error(), label);
  if (!spec.epilogues.empty()) {
    auto status = check_epilogues(*spec.op, spec.epilogues, graph_.values_, spec.inputs, inferred->types[0]);
    if (!status) return with_prefix(std::move(status).error(), label);
    inferred->integers.reset();
    inferred->reals.reset();
  }

  Node node{.name = std::move(spec.name),
            .op = spec.op,
            .attrs = std::move(spec.attrs),
            .inputs = std::move(spec.inputs),
            .epilogues = std::move(spec.epilogues),
            .blocks = std::move(spec.blocks),
            .base_inputs = spec.base_inputs};
  const auto id = static_cast<NodeId>(graph_.nodes_.size());
  for (size_t i = 0; i < inferred->types.size(); ++i) {
    Value value{.name = std::move(spec.output_names[i]), .type = std::move(inferred->types[i])};
    if (i == 0) value.integers = std::move(inferred->integers);
    if (i == 0) value.reals = std::move(inferred->reals);
    node.outputs.push_back(add_value(std::move(value), id));
  }
  graph_.nodes_.push_back(std::move(node));
  return graph_.nodes_.back().outputs;
}

std::vector<ValueId> GraphBuilder::add_copy(const Graph& from, NodeId source, std::vector<ValueId> inputs) {
  Node node = from.node(source);
  node.inputs = std::move(inputs);
  const auto id = static_cast<NodeId>(graph_.nodes_.size());
  for (ValueId& output : node.outputs) output = add_value(from.value(output), id);
  graph_.nodes_.push_back(std::move(node));
  return graph_.nodes_.back().outputs;
}

Status GraphBuilder::set_outputs(std::vector<ValueId> values, std::vector<std::string> names) {
  if (values.size() != names.size()) return internal("{} outputs have {} names", values.size(), names.size());
  for (const ValueId id : values)
    if (id < 0 || static_cast<size_t>(id) >= graph_.values_.size())
      return internal("an output is value {} of {}", id, graph_.values_.size());
  graph_.outputs_ = std::move(values);
  graph_.output_names_ = std::move(names);
  return {};
}

void GraphBuilder::set_limit(std::string node, int64_t most) { limits_[std::move(node)] = {.most = most}; }

std::optional<std::string> GraphBuilder::unused_limit() const {
  for (const auto& [node, limit] : limits_)
    if (!limit.used) return node;
  return std::nullopt;
}

void GraphBuilder::set_metadata(std::string key, std::string text) {
  graph_.metadata_[std::move(key)] = std::move(text);
}

void GraphBuilder::add_condition(Condition condition) {
  const uint64_t hash = condition.left.hash();
  const auto [first, last] = conditions_by_hash_.equal_range(hash);
  for (const DimExpr& branch : branches_) condition.when = select(branch, condition.when, 0);
  for (auto it = first; it != last; ++it) {
    Condition& other = graph_.conditions_[it->second];
    if (!(other.left == condition.left && other.right == condition.right)) continue;
    if (!edits_) other.when = max(other.when, condition.when);  // a pass that makes a node anew knows no branches
    return;
  }
  conditions_by_hash_.emplace(hash, graph_.conditions_.size());
  graph_.conditions_.push_back(std::move(condition));
}

Result<Graph> GraphBuilder::finish() {
  graph_.readers_.assign(graph_.values_.size(), {});
  graph_.is_output_.assign(graph_.values_.size(), false);
  for (size_t i = 0; i < graph_.nodes_.size(); ++i)
    for (const ValueId input : graph_.nodes_[i].inputs)
      if (input != kNoValue) graph_.readers_[static_cast<size_t>(input)].push_back(static_cast<NodeId>(i));
  for (const ValueId output : graph_.outputs_) graph_.is_output_[static_cast<size_t>(output)] = true;
  MEML_TRY_STATUS(verify(graph_));
  return std::move(graph_);
}

}  // namespace memline

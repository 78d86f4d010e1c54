#include "graph/patch.h"

#include <algorithm>

#include "graph/infer.h"

namespace memline {

ValueId Patch::add_constant(std::string name, Constant constant) {
  ++edits_;
  constants_.push_back({next_value_, std::move(name), std::move(constant)});
  return next_value_++;
}

std::vector<ValueId> Patch::add_node(GraphBuilder::NodeSpec spec) {
  ++edits_;
  std::vector<ValueId> ids(spec.output_names.size());
  for (ValueId& id : ids) id = next_value_++;
  nodes_.push_back({ids, std::move(spec)});
  return ids;
}

void Patch::redirect(ValueId from, ValueId to) {
  ++edits_;
  redirects_.emplace_back(from, to);
}

void Patch::drop(NodeId node) {
  ++edits_;
  dropped_.push_back(node);
}

namespace {

struct NewNode {
  const std::vector<ValueId>* outputs;
  const GraphBuilder::NodeSpec* spec;
};

// Rebuilds the graph in topological order. Nodes are numbered: those of the graph first, then the patch's.
class Rebuild {
 public:
  Rebuild(const Graph& graph, ValueId values)
      : graph_(graph),
        builder_(graph),
        target_(static_cast<size_t>(values)),
        placed_(target_.size(), kNoValue),
        maker_(target_.size(), kNoNode),
        new_constant_(target_.size(), nullptr),
        dropped_(graph.nodes().size()) {
    for (size_t i = 0; i < target_.size(); ++i) target_[i] = static_cast<ValueId>(i);
    for (size_t i = 0; i < graph.nodes().size(); ++i)
      for (const ValueId output : graph.nodes()[i].outputs) maker_[at(output)] = static_cast<NodeId>(i);
  }

  void add(const std::string& name, const Constant& constant, ValueId id) {
    new_constant_[at(id)] = &constant;
    new_constant_names_.emplace(id, &name);
  }
  void add(const NewNode& node) {
    for (const ValueId output : *node.outputs)
      maker_[at(output)] = static_cast<NodeId>(graph_.nodes().size() + added_.size());
    added_.push_back(node);
  }
  Status drop(NodeId node) {
    if (node < 0 || at(node) >= dropped_.size())
      return internal("the patch drops node {} of {}", node, dropped_.size());
    dropped_[at(node)] = true;
    return {};
  }
  Status redirect(ValueId from, ValueId to) {
    if (from < 0 || to < 0 || at(from) >= target_.size() || at(to) >= target_.size())
      return internal("the patch redirects value {} to {} of {}", from, to, target_.size());
    if (target_[at(from)] != from) return internal("the patch redirects value {} twice", from);
    target_[at(from)] = to;
    return {};
  }

  Result<Graph> run() {
    MEML_TRY_STATUS(follow_redirects());
    for (const ValueId input : graph_.inputs())
      placed_[at(input)] = builder_.add_input(graph_.value(input).name, graph_.value(input).type);
    const size_t count = graph_.nodes().size() + added_.size();
    state_.assign(count, State::untouched);
    for (size_t i = 0; i < count; ++i) {
      const auto node = static_cast<NodeId>(i);
      if (is_new(node) || !dropped_[i])
        MEML_TRY_STATUS(place_with_makers(node));
      else
        MEML_TRY_STATUS(place_substitutes(node));
    }
    std::vector<ValueId> outputs;
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      MEML_TRY(const ValueId output, find(graph_.outputs()[i], "graph output", graph_.output_names()[i]));
      MEML_TRY_STATUS(check_output(i, output));
      outputs.push_back(output);
    }
    MEML_TRY_STATUS(builder_.set_outputs(std::move(outputs), graph_.output_names()));
    return builder_.finish();
  }

 private:
  enum class State : uint8_t { untouched, open, done };
  static size_t at(int32_t id) { return static_cast<size_t>(id); }
  bool is_new(NodeId node) const { return at(node) >= graph_.nodes().size(); }
  const NewNode& added(NodeId node) const { return added_[at(node) - graph_.nodes().size()]; }
  const std::vector<ValueId>& inputs(NodeId node) const {
    return is_new(node) ? added(node).spec->inputs : graph_.node(node).inputs;
  }

  Status follow_redirects() {
    for (size_t i = 0; i < target_.size(); ++i) {
      ValueId end = target_[i];
      size_t steps = 0;
      while (target_[at(end)] != end) {
        end = target_[at(end)];
        if (++steps > target_.size()) return internal("the patch's redirects of value {} lead round in a circle", i);
      }
      target_[i] = end;
    }
    return {};
  }

  // What takes the place of a dropped node stands where that stood.
  Status place_substitutes(NodeId dropped) {
    for (const ValueId output : graph_.node(dropped).outputs) {
      const NodeId maker = maker_[at(target_[at(output)])];
      if (maker != kNoNode && is_new(maker)) MEML_TRY_STATUS(place_with_makers(maker));
    }
    return {};
  }

  // A depth-first walk with its own stack: graphs are deep. Keeps the old order where nothing else is needed.
  Status place_with_makers(NodeId root) {
    std::vector<NodeId> stack{root};
    while (!stack.empty()) {
      const NodeId node = stack.back();
      if (state_[at(node)] == State::done) {
        stack.pop_back();
        continue;
      }
      state_[at(node)] = State::open;
      bool ready = true;
      for (const ValueId input : inputs(node)) {
        if (input == kNoValue) continue;
        const NodeId maker = maker_[at(target_[at(input)])];
        if (maker == kNoNode || state_[at(maker)] == State::done) continue;
        if (!is_new(maker) && dropped_[at(maker)])
          return internal("{} reads an output of a node that the patch drops", label(node));
        if (state_[at(maker)] == State::open) return internal("the patch makes a cycle through {}", label(node));
        stack.push_back(maker);
        ready = false;
      }
      if (!ready) continue;
      MEML_TRY_STATUS(place(node));
      state_[at(node)] = State::done;
      stack.pop_back();
    }
    return {};
  }

  Status place(NodeId node) {
    std::vector<ValueId> new_inputs;
    for (const ValueId input : inputs(node)) {
      new_inputs.push_back(kNoValue);
      if (input == kNoValue) continue;
      MEML_TRY(new_inputs.back(), find(input, "input of", label(node)));
    }
    const std::vector<ValueId>& old_outputs = is_new(node) ? *added(node).outputs : graph_.node(node).outputs;
    std::vector<ValueId> outputs;
    if (is_new(node)) {
      GraphBuilder::NodeSpec spec = *added(node).spec;
      spec.inputs = std::move(new_inputs);
      MEML_TRY(outputs, builder_.add_node(std::move(spec)));
    } else {
      outputs = builder_.add_copy(graph_, node, std::move(new_inputs));
    }
    for (size_t i = 0; i < outputs.size(); ++i) placed_[at(old_outputs[i])] = outputs[i];
    return {};
  }

  // The new id of an old value, or of one of the patch's; constants come in when they are first needed.
  Result<ValueId> find(ValueId value, std::string_view role, std::string_view whose) {
    const ValueId id = target_[at(value)];
    if (placed_[at(id)] != kNoValue) return placed_[at(id)];
    if (new_constant_[at(id)] != nullptr)
      return placed_[at(id)] = builder_.add_constant(*new_constant_names_.at(id), *new_constant_[at(id)]);
    if (at(id) < graph_.value_count() && graph_.is_constant(id))
      return placed_[at(id)] = builder_.add_constant(graph_.value(id).name, *graph_.value(id).constant);
    return internal("{} {}: the patch leaves value {} without a producer", role, whose, id);
  }

  Status check_output(size_t index, ValueId output) const {
    const TensorType& before = graph_.value(graph_.outputs()[index]).type;
    const TensorType& after = builder_.value(output).type;
    if (before == after) return {};
    return internal("the patch turns output '{}' from {} into {}", graph_.output_names()[index], before.text(),
                    after.text());
  }

  std::string label(NodeId node) const {
    return is_new(node) ? node_label(*added(node).spec->op, added(node).spec->name)
                        : node_label(*graph_.node(node).op, graph_.node(node).name);
  }

  const Graph& graph_;
  GraphBuilder builder_;
  std::vector<ValueId> target_;  // where each value's readers are sent
  std::vector<ValueId> placed_;  // its id in the new graph
  std::vector<NodeId> maker_;
  std::vector<const Constant*> new_constant_;
  std::map<ValueId, const std::string*> new_constant_names_;
  std::vector<bool> dropped_;
  std::vector<NewNode> added_;
  std::vector<State> state_;
};

}  // namespace

Result<Graph> apply(const Graph& graph, const Patch& patch) {
  Rebuild rebuild(graph, patch.next_value_);
  for (const auto& constant : patch.constants_) rebuild.add(constant.name, constant.constant, constant.id);
  for (const auto& node : patch.nodes_) rebuild.add(NewNode{&node.ids, &node.spec});
  for (const auto& [from, to] : patch.redirects_) MEML_TRY_STATUS(rebuild.redirect(from, to));
  for (const NodeId node : patch.dropped_) MEML_TRY_STATUS(rebuild.drop(node));
  return rebuild.run();
}

}  // namespace memline

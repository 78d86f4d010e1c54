// Graph: the model between import and choose. Nodes in topological order; each value has one producer (a node, an
// input, or a constant). Speaks only of ONNX's logical axes; knows no device and no layout. Edited only by patches
// (graph/patch.h).
//   * The body of an If, Loop or Scan is a block: a Graph of its own whose inputs are the node's inputs behind the
//     op's own (`Node::block_inputs`): what a body reads from outside is passed in, never captured by name.
//   * Slots are the integers known only at run time: input dimensions first, then counts. Conditions are equalities
//     between dims that ops demand and that do not hold for every shape of the ranges.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/bounds.h"
#include "ops/op.h"

namespace memline {

using ValueId = int32_t;
using NodeId = int32_t;
inline constexpr ValueId kNoValue = -1;  // an absent optional input
inline constexpr NodeId kNoNode = -1;

// The bytes of a constant: dense, row-major, valid as long as `owner` (the mapped model file, or a buffer of our own).
struct Constant {
  TensorView view;
  std::shared_ptr<const void> owner;
};
// In memory of our own, which goes back to the kernel with the constant; dims are constants. A copy of `data`, or
// zeros.
Constant make_constant(DType dtype, std::span<const int64_t> dims, std::span<const std::byte> data);
Constant make_zeros(DType dtype, std::span<const int64_t> dims);
// out_of_memory names the bytes.
Result<std::shared_ptr<void>> constant_memory(int64_t bytes);

struct Slot {
  std::string name;  // "images.batch", "NonZero 'nz': count"
  Interval range;
  int64_t opt = 0;  // what is timed
  std::optional<DimExpr>
      value;  // set for an expression too large to carry along: computed from earlier slots when a run begins
};

struct Value {
  std::string name;
  TensorType type;
  std::optional<Constant> constant;
  // The elements, when shape arithmetic knows them (at most 64): of integers, of f32.
  std::optional<std::vector<DimExpr>> integers;
  std::optional<std::vector<FloatExpr>> reals;
};

class Graph;
struct Inferred;

struct Node {
  std::string name;
  const ops::OpDef* op = nullptr;
  ops::Attrs attrs;
  std::vector<ValueId> inputs;  // the op's own, then the epilogues', then the blocks'; kNoValue where absent
  std::vector<ValueId> outputs;
  std::vector<ops::Epilogue> epilogues;  // Epilogue::input is an index into `inputs`
  std::vector<std::shared_ptr<const Graph>> blocks;
  size_t base_inputs = 0;  // how many of `inputs` belong to the op itself
};

struct Condition {
  DimExpr left, right;      // must be equal
  DimExpr when = 1;         // unless this is 0: the node stands in a branch that is not taken
  std::string demanded_by;  // "Concat 'cat3'"
};

class Graph {
 public:
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  const Value& value(ValueId id) const { return values_[static_cast<size_t>(id)]; }
  const std::vector<Value>& values() const { return values_; }
  size_t value_count() const { return values_.size(); }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const {
    return outputs_;
  }  // a value may be listed twice, and may be an input or constant
  const std::vector<std::string>& output_names() const {
    return output_names_;
  }  // what the user calls them; values may be renamed
  const std::vector<Slot>& slots() const { return slots_; }
  const std::vector<Condition>& conditions() const { return conditions_; }
  std::vector<Interval> slot_ranges() const;
  SlotBounds slot_bounds() const;
  std::vector<int64_t> opt_slots() const;
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  NodeId producer(ValueId value) const {
    return producers_[static_cast<size_t>(value)];
  }  // kNoNode for inputs and constants
  const std::vector<NodeId>& readers(ValueId value) const {
    return readers_[static_cast<size_t>(value)];
  }  // once a use
  bool is_output(ValueId value) const;
  bool is_constant(ValueId value) const { return value != kNoValue && this->value(value).constant.has_value(); }
  // The one node that reads `value`, if nothing else does and it is no graph output; else kNoNode.
  NodeId only_reader(ValueId value) const;

 private:
  friend class GraphBuilder;
  std::vector<Node> nodes_;
  std::vector<Value> values_;
  std::vector<NodeId> producers_;
  std::vector<std::vector<NodeId>> readers_;
  std::vector<ValueId> inputs_, outputs_;
  std::vector<std::string> output_names_;
  std::vector<Slot> slots_;
  std::vector<Condition> conditions_;
  std::map<std::string, std::string> metadata_;
  std::vector<bool> is_output_;
};

// Makes a Graph node by node, running each op's infer as it goes: onnx/ and the text parser build with it, patches
// are applied with it.
class GraphBuilder {
 public:
  GraphBuilder() = default;
  explicit GraphBuilder(const Graph& base);  // starts with base's slots, conditions and metadata (no nodes)

  DimExpr add_slot(std::string name, Interval range, int64_t opt);
  ValueId add_input(std::string name, TensorType type);
  ValueId add_constant(std::string name, Constant constant);
  struct NodeSpec {
    std::string name;
    const ops::OpDef* op = nullptr;
    ops::Attrs attrs;
    std::vector<ValueId> inputs;
    std::vector<std::string> output_names;  // as many outputs as names; an empty name is an unused output
    std::vector<ops::Epilogue> epilogues;
    std::vector<std::shared_ptr<const Graph>> blocks;
    size_t base_inputs = 0;  // 0: all of them
  };
  // Errors carry the prefix "Conv 'layer1.0.conv1'".
  Result<std::vector<ValueId>> add_node(NodeSpec spec);
  // Node `node` of `from` (whose slots this builder started with), reading `inputs`: keeps its types, so that counts
  // keep their slots.
  std::vector<ValueId> add_copy(const Graph& from, NodeId node, std::vector<ValueId> inputs);
  Status set_outputs(std::vector<ValueId> values, std::vector<std::string> names);
  void set_metadata(std::string key, std::string text);
  // The integers of `value`, which a run computes for node `node`, become slots in `ranges`: the same value with these
  // integers.
  Result<ValueId> measure(ValueId value, const std::string& node, std::span<const Interval> ranges);
  // Nodes that come until leave_branch() run only where `when` is not 0: so do their conditions hold.
  void enter_branch(const DimExpr& when) { branches_.push_back(when); }
  void leave_branch() { branches_.pop_back(); }
  // No size that node `node` takes from data is larger: nodes that come later.
  void set_limit(std::string node, int64_t most);
  std::optional<std::string> unused_limit() const;  // a node with a limit that no size was taken by
  void add_condition(Condition condition);

  const Value& value(ValueId id) const { return graph_.values_[static_cast<size_t>(id)]; }
  // The largest value of `expression` over the ranges of the slots.
  int64_t bound(const DimExpr& expression) const { return bounds_.maximum(expression); }
  const Graph& unfinished() const { return graph_; }  // what has come so far; readers are known when it is finished
  // Sorts nothing: nodes must have come in topological order. Verifies.
  Result<Graph> finish();

 private:
  class NodeSlots;
  ValueId add_value(Value value, NodeId producer);
  DimExpr add_slot(Slot slot);
  Result<Inferred> infer(NodeSpec& spec, std::string_view label);
  Graph graph_;
  struct Limit {
    int64_t most = 0;
    bool used = false;
  };
  std::map<std::string, Limit, std::less<>> limits_;
  SlotBounds bounds_;
  std::vector<int64_t> slot_opts_;
  std::unordered_multimap<uint64_t, size_t> conditions_by_hash_;
  bool edits_ = false;  // a graph whose conditions are complete
  std::vector<DimExpr> branches_;
};

}  // namespace memline

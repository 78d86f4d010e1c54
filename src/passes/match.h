// What passes ask of a graph, in the words they ask it in.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "graph/patch.h"

namespace memline::passes {

// Whether the node is that operator of ONNX's domain, without epilogues: what a pattern of plain nodes is made of.
bool is_plain(const Node& node, std::string_view op);
// The same for the node that makes `value`: nullptr when none of that kind does.
const Node* made_by(const Graph& graph, ValueId value, std::string_view op);
// `value` is read once, and its reader is that operator: the reader, else kNoNode.
NodeId sole_reader(const Graph& graph, ValueId value, std::string_view op);

bool has_input(const Node& node, size_t index);
ValueId input_or_none(const Node& node, size_t index);
// Of a binary node's two inputs, the one that is not `value`; kNoValue when it reads `value` twice or not at all.
ValueId other_input(const Node& node, ValueId value);

const TensorType& type_of(const Graph& graph, ValueId value);
bool is_computed_in_f32(DType dtype);  // f32, f16, bf16: what epilogues are exact enough for

// The number in a float constant of one element, or of equal elements (`uniform`).
std::optional<float> scalar(const Graph& graph, ValueId value);
std::optional<float> uniform(const Graph& graph, ValueId value);
// All elements of a float constant of at most `limit` elements, in double.
std::optional<std::vector<double>> doubles(const Graph& graph, ValueId value, int64_t limit);
// A float constant that, broadcast to a tensor of that rank, differs along `axis` only, where the tensor has
// `channels`: one number a channel. A scalar gives equal numbers. It may not make the tensor larger.
std::optional<std::vector<double>> per_channel(const Graph& graph, ValueId value, int rank, int axis, int64_t channels);

bool near(double a, double b);  // equal but for rounding in f32

// The node as a spec to change: same op, attributes, inputs and names.
GraphBuilder::NodeSpec spec_of(const Graph& graph, const Node& node);
// Adds an epilogue, with the input it reads when it reads one.
void append_epilogue(GraphBuilder::NodeSpec& spec, ops::Epilogue epilogue, ValueId input = kNoValue);

// An f32 or 16-bit float constant from doubles.
Constant float_constant(DType dtype, std::vector<int64_t> dims, const std::vector<double>& values);

// Nodes already used by this patch: each may be part of one hit.
class Used {
 public:
  explicit Used(const Graph& graph) : used_(graph.nodes().size()) {}
  bool any(std::initializer_list<NodeId> nodes) const {
    for (const NodeId node : nodes)
      if (node != kNoNode && used_[static_cast<size_t>(node)]) return true;
    return false;
  }
  void mark(std::initializer_list<NodeId> nodes) {
    for (const NodeId node : nodes)
      if (node != kNoNode) used_[static_cast<size_t>(node)] = true;
  }

 private:
  std::vector<bool> used_;
};

}  // namespace memline::passes

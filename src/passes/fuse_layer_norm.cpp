// Layer normalisation as exporters before opset 17 write it:
//   d = x - ReduceMean(x);  y = d / Sqrt(ReduceMean(d^2) + epsilon) * scale + shift
// with both means over the same last axes, kept as extents of 1, and constant scale and shift. d^2 is Pow(d, 2) or
// Mul(d, d).
#include <algorithm>

#include "ops/layer_normalization.h"
#include "ops/reduce.h"
#include "ops/registry.h"
#include "passes/match.h"
#include "passes/pass.h"

namespace memline::passes {
namespace {

// The first of the last axes that the mean runs over; nullopt when they are not the last ones, or not kept.
std::optional<int64_t> first_axis(const Graph& graph, const Node& mean) {
  if (!mean.attrs.as<ops::ReduceAttrs>().keepdims || !has_input(mean, 1)) return std::nullopt;
  const auto& integers = graph.value(mean.inputs[1]).integers;
  const int64_t rank = type_of(graph, mean.inputs[0]).rank();
  if (!integers || integers->empty()) return std::nullopt;
  std::vector<int64_t> axes;
  for (const DimExpr& axis : *integers) {
    if (!axis.is_constant()) return std::nullopt;
    axes.push_back(*axis.constant() < 0 ? *axis.constant() + rank : *axis.constant());
  }
  std::sort(axes.begin(), axes.end());
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != rank - static_cast<int64_t>(axes.size() - i)) return std::nullopt;
  return axes.front();
}

// The node that squares `value`.
NodeId squaring_reader(const Graph& graph, ValueId value) {
  for (const NodeId reader : graph.readers(value)) {
    const Node& node = graph.node(reader);
    if (is_plain(node, "Pow") && node.inputs[0] == value && uniform(graph, node.inputs[1]) == 2.0f) return reader;
    if (is_plain(node, "Mul") && node.inputs[0] == value && node.inputs[1] == value) return reader;
  }
  return kNoNode;
}

struct LayerNorm {
  ValueId x = kNoValue, scale = kNoValue, shift = kNoValue;
  ops::LayerNormalizationAttrs attrs;
  NodeId last = kNoNode;
  std::vector<NodeId> nodes;

  NodeId take(NodeId node) {
    if (node != kNoNode) nodes.push_back(node);
    return node;
  }
};

// Mean of the squares, epsilon, root, quotient: from the squaring node to d / sqrt(...).
bool match_quotient(const Graph& graph, ValueId centred, LayerNorm& norm) {
  const auto output = [&](NodeId node) { return graph.node(node).outputs[0]; };
  const NodeId square = norm.take(squaring_reader(graph, centred));
  if (square == kNoNode) return false;
  const NodeId mean = norm.take(sole_reader(graph, output(square), "ReduceMean"));
  if (mean == kNoNode || first_axis(graph, graph.node(mean)) != norm.attrs.axis) return false;
  const NodeId add = norm.take(sole_reader(graph, output(mean), "Add"));
  if (add == kNoNode) return false;
  const ValueId epsilon = other_input(graph.node(add), output(mean));
  const auto number = epsilon == kNoValue ? std::nullopt : scalar(graph, epsilon);
  if (!number) return false;
  norm.attrs.epsilon = *number;
  const NodeId root = norm.take(sole_reader(graph, output(add), "Sqrt"));
  if (root == kNoNode) return false;
  norm.last = norm.take(sole_reader(graph, output(root), "Div"));
  return norm.last != kNoNode && graph.node(norm.last).inputs[0] == centred &&
         graph.node(norm.last).inputs[1] == output(root);
}

// A constant that broadcasts along the normalised axes only, behind the last node of the match; kNoValue when there is
// none.
ValueId take_constant(const Graph& graph, std::string_view op, LayerNorm& norm) {
  const ValueId tail = graph.node(norm.last).outputs[0];
  const NodeId reader = sole_reader(graph, tail, op);
  if (reader == kNoNode) return kNoValue;
  const ValueId other = other_input(graph.node(reader), tail);
  const int64_t normalised = type_of(graph, tail).rank() - norm.attrs.axis;
  if (other == kNoValue || !graph.is_constant(other) || type_of(graph, other).rank() > normalised) return kNoValue;
  if (!(type_of(graph, graph.node(reader).outputs[0]) == type_of(graph, tail))) return kNoValue;
  norm.last = norm.take(reader);
  return other;
}

std::optional<LayerNorm> match(const Graph& graph, NodeId mean_id) {
  const Node& mean = graph.node(mean_id);
  const auto axis = first_axis(graph, mean);
  const NodeId sub = axis ? sole_reader(graph, mean.outputs[0], "Sub") : kNoNode;
  if (sub == kNoNode || graph.node(sub).inputs[0] != mean.inputs[0]) return std::nullopt;
  LayerNorm norm{.x = mean.inputs[0]};
  norm.attrs.axis = *axis;
  norm.nodes = {mean_id, sub};
  const ValueId centred = graph.node(sub).outputs[0];
  if (graph.is_output(centred) || !match_quotient(graph, centred, norm)) return std::nullopt;
  // d is read by its square (twice by Mul) and by the quotient, and by nothing else.
  for (const NodeId reader : graph.readers(centred))
    if (std::find(norm.nodes.begin(), norm.nodes.end(), reader) == norm.nodes.end()) return std::nullopt;
  norm.scale = take_constant(graph, "Mul", norm);
  if (norm.scale == kNoValue) return std::nullopt;
  norm.shift = take_constant(graph, "Add", norm);
  return norm;
}

}  // namespace

Result<Patch> fuse_layer_norm(const Graph& graph) {
  Patch patch(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    if (!is_plain(graph.nodes()[i], "ReduceMean")) continue;
    const auto norm = match(graph, static_cast<NodeId>(i));
    if (!norm) continue;
    const ValueId y = graph.node(norm->last).outputs[0];
    std::vector<ValueId> inputs{norm->x, norm->scale};
    if (norm->shift != kNoValue) inputs.push_back(norm->shift);
    const auto fused = patch.add_node({.name = graph.node(norm->last).name,
                                       .op = ops::find("LayerNormalization"),
                                       .attrs = ops::Attrs::of(norm->attrs),
                                       .inputs = std::move(inputs),
                                       .output_names = {graph.value(y).name}});
    patch.redirect(y, fused[0]);
    for (const NodeId node : norm->nodes) patch.drop(node);
    patch.count_hit();
  }
  return patch;
}

}  // namespace memline::passes

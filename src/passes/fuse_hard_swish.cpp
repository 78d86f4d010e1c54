// What exporters write for hard activations:
//   Clip(x + 3, 0, 6) / 6, or * 1/6            ->  HardSigmoid(x), alpha = 1/6
//   x * HardSigmoid(x), alpha = 1/6, beta = 1/2 ->  HardSwish(x)
//   (x * Clip(x + 3, 0, 6)) / 6, or * 1/6       ->  HardSwish(x)
#include "ops/registry.h"
#include "ops/unary.h"
#include "passes/match.h"
#include "passes/pass.h"

namespace memline::passes {
namespace {

bool is_sixth_of(const Graph& graph, const Node& node, ValueId value) {
  const ValueId other = other_input(node, value);
  const auto number = other == kNoValue ? std::nullopt : uniform(graph, other);
  if (!number || type_of(graph, value).dims != type_of(graph, node.outputs[0]).dims) return false;
  if (is_plain(node, "Div")) return node.inputs[0] == value && *number == 6;
  return is_plain(node, "Mul") && near(*number, 1.0 / 6);
}

struct ShiftedClip {
  ValueId x;
  NodeId add, clip;
};

// Clip(x + 3, 0, 6), whose sum is read by the clip alone.
std::optional<ShiftedClip> shifted_clip(const Graph& graph, NodeId id) {
  const Node& clip = graph.node(id);
  if (!is_plain(clip, "Clip") || !has_input(clip, 1) || !has_input(clip, 2)) return std::nullopt;
  if (scalar(graph, clip.inputs[1]) != 0.0f || scalar(graph, clip.inputs[2]) != 6.0f) return std::nullopt;
  const Node* add = made_by(graph, clip.inputs[0], "Add");
  if (add == nullptr || graph.only_reader(clip.inputs[0]) == kNoNode) return std::nullopt;
  for (const size_t side : {0u, 1u}) {
    const ValueId x = add->inputs[side];
    if (uniform(graph, add->inputs[1 - side]) == 3.0f && type_of(graph, x) == type_of(graph, add->outputs[0]))
      return ShiftedClip{x, graph.producer(clip.inputs[0]), id};
  }
  return std::nullopt;
}

void replace(Patch& patch, const Graph& graph, NodeId last, const char* op, ops::Attrs attrs, ValueId x,
             std::initializer_list<NodeId> dropped) {
  const ValueId y = graph.node(last).outputs[0];
  const auto fused = patch.add_node({.name = graph.node(last).name,
                                     .op = ops::find(op),
                                     .attrs = std::move(attrs),
                                     .inputs = {x},
                                     .output_names = {graph.value(y).name}});
  patch.redirect(y, fused[0]);
  for (const NodeId node : dropped) patch.drop(node);
  patch.count_hit();
}

void fuse_clip(Patch& patch, const Graph& graph, NodeId id) {
  const auto found = shifted_clip(graph, id);
  const ValueId clipped = graph.node(id).outputs[0];
  const NodeId next = graph.only_reader(clipped);
  if (!found || next == kNoNode) return;
  if (is_sixth_of(graph, graph.node(next), clipped)) {
    ops::HardSigmoidAttrs attrs;
    attrs.alpha = 1.0f / 6;
    attrs.beta = 0.5f;
    return replace(patch, graph, next, "HardSigmoid", ops::Attrs::of(attrs), found->x, {found->add, id, next});
  }
  if (!is_plain(graph.node(next), "Mul") || other_input(graph.node(next), clipped) != found->x) return;
  const ValueId product = graph.node(next).outputs[0];
  const NodeId last = graph.only_reader(product);
  if (last != kNoNode && is_sixth_of(graph, graph.node(last), product))
    replace(patch, graph, last, "HardSwish", {}, found->x, {found->add, id, next, last});
}

void fuse_hard_sigmoid(Patch& patch, const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const auto& attrs = node.attrs.as<ops::HardSigmoidAttrs>();
  if (!near(attrs.alpha, 1.0 / 6) || attrs.beta != 0.5f) return;
  const NodeId product = sole_reader(graph, node.outputs[0], "Mul");
  if (product != kNoNode && other_input(graph.node(product), node.outputs[0]) == node.inputs[0])
    replace(patch, graph, product, "HardSwish", {}, node.inputs[0], {id, product});
}

}  // namespace

Result<Patch> fuse_hard_swish(const Graph& graph) {
  Patch patch(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (is_plain(graph.node(id), "Clip")) fuse_clip(patch, graph, id);
    if (is_plain(graph.node(id), "HardSigmoid")) fuse_hard_sigmoid(patch, graph, id);
  }
  return patch;
}

}  // namespace memline::passes

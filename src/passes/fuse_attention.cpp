// MatMul(Softmax(MatMul(q, k)), v) with a softmax over the last axis and any scale (a factor of q, of k, of both, or of
// the scores; a quotient of the scores) becomes one node. A mask is left alone: the scores have a reader in between.
#include "ops/attention.h"
#include "ops/registry.h"
#include "ops/softmax.h"
#include "passes/match.h"
#include "passes/pass.h"

namespace memline::passes {
namespace {

struct Attention {
  ValueId q = kNoValue, k = kNoValue, v = kNoValue;
  double scale = 1;
  NodeId last = kNoNode;
  std::vector<NodeId> nodes;
};

// Where `value` is another one times a number, made for one reader: that one, and the number goes into the scale.
ValueId without_scale(const Graph& graph, ValueId value, Attention& found) {
  if (graph.only_reader(value) == kNoNode) return value;
  for (const char* op : {"Mul", "Div"}) {
    const Node* node = made_by(graph, value, op);
    if (node == nullptr) continue;
    const bool is_div = node->op->name == "Div";
    for (const size_t side : {1u, 0u}) {
      const auto factor = uniform(graph, node->inputs[side]);
      if (!factor || (is_div && side == 0) || *factor == 0) continue;
      if (!(type_of(graph, node->inputs[1 - side]) == type_of(graph, value))) continue;
      found.scale *= is_div ? 1.0 / static_cast<double>(*factor) : static_cast<double>(*factor);
      found.nodes.push_back(graph.producer(value));
      return node->inputs[1 - side];
    }
  }
  return value;
}

bool is_over_last_axis(const Graph& graph, const Node& softmax) {
  const int rank = type_of(graph, softmax.inputs[0]).rank();
  const int64_t axis = softmax.attrs.as<ops::SoftmaxAttrs>().axis;
  return axis == -1 || axis == rank - 1;
}

bool have_equal_stacks(const Graph& graph, const Attention& a) {
  const auto &q = type_of(graph, a.q).dims, &k = type_of(graph, a.k).dims, &v = type_of(graph, a.v).dims;
  return q.size() >= 2 && q.size() == k.size() && q.size() == v.size() &&
         std::equal(q.begin(), q.end() - 2, k.begin()) && std::equal(q.begin(), q.end() - 2, v.begin());
}

std::optional<Attention> match(const Graph& graph, NodeId softmax_id) {
  const Node& softmax = graph.node(softmax_id);
  if (!is_over_last_axis(graph, softmax)) return std::nullopt;
  Attention found{.last = sole_reader(graph, softmax.outputs[0], "MatMul")};
  if (found.last == kNoNode || graph.node(found.last).inputs[0] != softmax.outputs[0]) return std::nullopt;
  found.v = graph.node(found.last).inputs[1];
  found.nodes = {softmax_id, found.last};
  if (graph.only_reader(softmax.inputs[0]) == kNoNode) return std::nullopt;
  const ValueId scores = without_scale(graph, softmax.inputs[0], found);
  const Node* product = made_by(graph, scores, "MatMul");
  if (product == nullptr || graph.only_reader(scores) == kNoNode) return std::nullopt;
  found.nodes.push_back(graph.producer(scores));
  found.q = without_scale(graph, product->inputs[0], found);
  found.k = without_scale(graph, product->inputs[1], found);
  if (!is_computed_in_f32(type_of(graph, found.q).dtype) || !have_equal_stacks(graph, found)) return std::nullopt;
  return found;
}

}  // namespace

Result<Patch> fuse_attention(const Graph& graph) {
  Patch patch(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    if (!is_plain(graph.nodes()[i], "Softmax")) continue;
    const auto found = match(graph, static_cast<NodeId>(i));
    if (!found) continue;
    const ValueId y = graph.node(found->last).outputs[0];
    const ops::AttentionAttrs attrs{.scale = static_cast<float>(found->scale)};
    const auto fused = patch.add_node({.name = graph.node(found->last).name,
                                       .op = ops::find("Attention", "memline"),
                                       .attrs = ops::Attrs::of(attrs),
                                       .inputs = {found->q, found->k, found->v},
                                       .output_names = {graph.value(y).name}});
    patch.redirect(y, fused[0]);
    for (const NodeId node : found->nodes) patch.drop(node);
    patch.count_hit();
  }
  return patch;
}

}  // namespace memline::passes

// The error-function form of GELU, x/2 * (1 + erf(x / sqrt 2)), in the orders that exporters write it in:
//   (x * (1 + e)) * 1/2,  (x * 1/2) * (1 + e),  x * ((1 + e) * 1/2)    with e = Erf(x / sqrt 2) or Erf(x * 1/sqrt 2)
#include <cmath>
#include <numbers>

#include "ops/registry.h"
#include "passes/match.h"
#include "passes/pass.h"

namespace memline::passes {
namespace {

// The x in x / sqrt 2, where nothing else reads the quotient.
ValueId scaled_by_root_half(const Graph& graph, ValueId value) {
  if (graph.only_reader(value) == kNoNode) return kNoValue;
  if (const Node* div = made_by(graph, value, "Div")) {
    const auto divisor = uniform(graph, div->inputs[1]);
    return divisor && near(*divisor, std::numbers::sqrt2) ? div->inputs[0] : kNoValue;
  }
  const Node* mul = made_by(graph, value, "Mul");
  if (mul == nullptr) return kNoValue;
  for (const size_t side : {0u, 1u}) {
    const auto factor = uniform(graph, mul->inputs[side]);
    if (factor && near(*factor, 1 / std::numbers::sqrt2)) return mul->inputs[1 - side];
  }
  return kNoValue;
}

// Multiplies `value` by a half: the node, where nothing but it reads `value`.
NodeId halving_reader(const Graph& graph, ValueId value) {
  const NodeId reader = sole_reader(graph, value, "Mul");
  if (reader == kNoNode) return kNoNode;
  const ValueId other = other_input(graph.node(reader), value);
  return other != kNoValue && uniform(graph, other) == 0.5f ? reader : kNoNode;
}

// Whether `value` is x * 1/2, made for one reader.
bool is_half_of(const Graph& graph, ValueId value, ValueId x) {
  const Node* mul = value == kNoValue ? nullptr : made_by(graph, value, "Mul");
  if (mul == nullptr || graph.only_reader(value) == kNoNode) return false;
  const ValueId other = other_input(*mul, x);
  return other != kNoValue && uniform(graph, other) == 0.5f;
}

struct Gelu {
  ValueId x = kNoValue;
  NodeId last = kNoNode;
  std::vector<NodeId> nodes;
};

std::optional<Gelu> match(const Graph& graph, NodeId erf_id) {
  const Node& erf = graph.node(erf_id);
  Gelu gelu{.x = scaled_by_root_half(graph, erf.inputs[0])};
  if (gelu.x == kNoValue) return std::nullopt;
  const NodeId add = sole_reader(graph, erf.outputs[0], "Add");
  if (add == kNoNode) return std::nullopt;
  const ValueId one = other_input(graph.node(add), erf.outputs[0]);
  if (one == kNoValue || uniform(graph, one) != 1.0f) return std::nullopt;
  gelu.nodes = {graph.producer(erf.inputs[0]), erf_id, add};
  ValueId sum = graph.node(add).outputs[0];

  NodeId next = halving_reader(graph, sum);  // x * ((1 + e) * 1/2)
  const bool halved = next != kNoNode;
  if (halved) {
    gelu.nodes.push_back(next);
    sum = graph.node(next).outputs[0];
  }
  next = sole_reader(graph, sum, "Mul");
  if (next == kNoNode) return std::nullopt;
  const ValueId factor = other_input(graph.node(next), sum);
  gelu.nodes.push_back(next);
  gelu.last = next;
  if (factor == gelu.x && !halved) {
    gelu.last = halving_reader(graph, graph.node(next).outputs[0]);
    if (gelu.last == kNoNode) return std::nullopt;
    gelu.nodes.push_back(gelu.last);
  } else if (!halved && is_half_of(graph, factor, gelu.x)) {
    gelu.nodes.push_back(graph.producer(factor));
  } else if (factor != gelu.x || !halved) {
    return std::nullopt;
  }
  if (!(type_of(graph, graph.node(gelu.last).outputs[0]) == type_of(graph, gelu.x))) return std::nullopt;
  return gelu;
}

}  // namespace

Result<Patch> fuse_gelu(const Graph& graph) {
  Patch patch(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    if (!is_plain(graph.nodes()[i], "Erf")) continue;
    const auto gelu = match(graph, static_cast<NodeId>(i));
    if (!gelu) continue;
    const ValueId y = graph.node(gelu->last).outputs[0];
    const auto fused = patch.add_node({.name = graph.node(gelu->last).name,
                                       .op = ops::find("Gelu"),
                                       .attrs = *ops::find("Gelu")->parse_attrs(""),
                                       .inputs = {gelu->x},
                                       .output_names = {graph.value(y).name}});
    patch.redirect(y, fused[0]);
    for (const NodeId node : gelu->nodes) patch.drop(node);
    patch.count_hit();
  }
  return patch;
}

}  // namespace memline::passes

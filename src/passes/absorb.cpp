#include "passes/absorb.h"

#include <algorithm>
#include <array>

#include "ops/unary.h"

namespace memline::passes {
namespace {

using ops::Epilogue;
using ops::EpilogueKind;

// Kernels bind at most this many.
constexpr size_t kMostEpilogues = 8;

// One step of a chain: the epilogue, and the value it reads.
struct Step {
  Epilogue epilogue;
  ValueId input = kNoValue;
};

struct UnaryKind {
  std::string_view op;
  EpilogueKind kind;
};
constexpr std::array<UnaryKind, 6> kUnary = {{{"Relu", EpilogueKind::relu},
                                              {"Sigmoid", EpilogueKind::sigmoid},
                                              {"Tanh", EpilogueKind::tanh},
                                              {"HardSwish", EpilogueKind::hard_swish},
                                              {"Mish", EpilogueKind::mish},
                                              {"Silu", EpilogueKind::silu}}};

// An absent bound is the end of f32's finite values: right for f32 only.
std::optional<Epilogue> clip_of(const Graph& graph, const Node& node) {
  constexpr float kMost = std::numeric_limits<float>::max();
  Epilogue clip{.kind = EpilogueKind::clip, .a = -kMost, .b = kMost};
  if (type_of(graph, node.outputs[0]).dtype != DType::f32 && !(has_input(node, 1) && has_input(node, 2)))
    return std::nullopt;
  for (const size_t side : {1u, 2u}) {
    if (!has_input(node, side)) continue;
    const auto bound = scalar(graph, node.inputs[side]);
    if (!bound) return std::nullopt;
    (side == 1 ? clip.a : clip.b) = *bound;
  }
  return clip;
}

// a * tail + b, for an operation with one number.
std::optional<Epilogue> affine_of(const Graph& graph, const Node& node, bool tail_is_left, ValueId other) {
  const auto number = uniform(graph, other);
  if (!number) return std::nullopt;
  const float k = *number;
  Epilogue affine{.kind = EpilogueKind::affine, .a = 1, .b = 0};
  if (node.op->name == "Mul")
    affine.a = k;
  else if (node.op->name == "Add")
    affine.b = k;
  else if (node.op->name == "Sub" && tail_is_left)
    affine.b = -k;
  else if (node.op->name == "Sub")
    affine.a = -1, affine.b = k;
  else if (node.op->name == "Div" && tail_is_left && k != 0)
    affine.a = 1 / k;
  else
    return std::nullopt;
  return affine;
}

std::optional<Step> binary_step(const Graph& graph, const Node& node, ValueId tail, NodeId base, LeavesAdd leaves_add) {
  const ValueId other = other_input(node, tail);
  if (other == kNoValue) return std::nullopt;
  if (const auto affine = affine_of(graph, node, node.inputs[0] == tail, other)) return Step{*affine};
  const bool is_add = is_plain(node, "Add");
  if (!is_add && !is_plain(node, "Mul")) return std::nullopt;
  if (is_add && !graph.is_constant(other) && !(type_of(graph, other) == type_of(graph, tail))) return std::nullopt;
  if (is_add && leaves_add(graph, base, other)) return std::nullopt;
  return Step{{.kind = is_add ? EpilogueKind::add : EpilogueKind::mul}, other};
}

// Two maps a*x + b in a row are one.
bool merge_affine(std::vector<Epilogue>& epilogues, const Epilogue& next) {
  if (epilogues.empty() || epilogues.back().kind != EpilogueKind::affine || next.kind != EpilogueKind::affine)
    return false;
  Epilogue& last = epilogues.back();
  last.b = static_cast<float>(static_cast<double>(next.a) * last.b + next.b);
  last.a = static_cast<float>(static_cast<double>(next.a) * last.a);
  return true;
}

// The step that `reader` is behind `tail`; nullopt when it is none, or changes the type.
std::optional<Step> step_of(const Graph& graph, const Node& reader, ValueId tail, NodeId base, LeavesAdd leaves_add) {
  if (!reader.epilogues.empty() || reader.outputs.size() != 1) return std::nullopt;
  if (!(type_of(graph, reader.outputs[0]) == type_of(graph, tail))) return std::nullopt;
  if (reader.inputs[0] == tail)
    if (const auto activation = activation_of(graph, reader)) return Step{*activation};
  return reader.base_inputs == 2 ? binary_step(graph, reader, tail, base, leaves_add) : std::nullopt;
}

}  // namespace

std::optional<Epilogue> activation_of(const Graph& graph, const Node& node) {
  if (node.op->domain != "" && node.op->name != "Silu") return std::nullopt;
  for (const UnaryKind& unary : kUnary)
    if (node.op->name == unary.op) return Epilogue{.kind = unary.kind};
  if (node.op->name == "Clip") return clip_of(graph, node);
  if (node.op->name == "Neg") return Epilogue{.kind = EpilogueKind::affine, .a = -1, .b = 0};
  if (node.op->name == "LeakyRelu")
    return Epilogue{.kind = EpilogueKind::leaky_relu, .a = node.attrs.as<ops::LeakyReluAttrs>().alpha};
  if (node.op->name == "HardSigmoid") {
    const auto& attrs = node.attrs.as<ops::HardSigmoidAttrs>();
    return Epilogue{.kind = EpilogueKind::hard_sigmoid, .a = attrs.alpha, .b = attrs.beta};
  }
  if (node.op->name == "Gelu") {
    const bool is_tanh = node.attrs.as<ops::GeluAttrs>().approximate == "tanh";
    return Epilogue{.kind = is_tanh ? EpilogueKind::gelu_tanh : EpilogueKind::gelu};
  }
  return std::nullopt;
}

Result<Patch> absorb_readers(const Graph& graph, bool (*is_base)(const Node&), LeavesAdd leaves_add) {
  Patch patch(graph);
  Used used(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto base = static_cast<NodeId>(i);
    const Node& node = graph.node(base);
    if (!is_base(node) || node.outputs.size() != 1 || used.any({base})) continue;
    if (!is_computed_in_f32(type_of(graph, node.outputs[0]).dtype)) continue;
    GraphBuilder::NodeSpec spec = spec_of(graph, node);
    std::vector<NodeId> taken;
    ValueId tail = node.outputs[0];
    while (spec.epilogues.size() < kMostEpilogues) {
      const NodeId reader = graph.only_reader(tail);
      if (reader == kNoNode || used.any({reader})) break;
      const auto step = step_of(graph, graph.node(reader), tail, base, leaves_add);
      if (!step) break;
      if (!merge_affine(spec.epilogues, step->epilogue)) append_epilogue(spec, step->epilogue, step->input);
      tail = graph.node(reader).outputs[0];
      taken.push_back(reader);
    }
    if (taken.empty()) continue;
    spec.output_names = {graph.value(tail).name};
    patch.redirect(tail, patch.add_node(std::move(spec))[0]);
    used.mark({base});
    patch.drop(base);
    for (const NodeId reader : taken) {
      used.mark({reader});
      patch.drop(reader);
    }
    patch.count_hit();
  }
  return patch;
}

}  // namespace memline::passes

// Nodes that give back what they get: Identity, Dropout, casts to the same type, transposes that keep the order,
// reshapes, expands, slices and pads that change nothing, sums and concats of one, scale by 1, add 0. The readers read
// the input instead.
#include <algorithm>
#include <numeric>

#include "ops/transpose.h"
#include "passes/match.h"
#include "passes/pass.h"

namespace memline::passes {
namespace {

bool is_one_of(const Node& node, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return is_plain(node, name); });
}

// Known integers of an input, all equal to `value`; an absent input counts as such.
bool all_integers_are(const Graph& graph, ValueId input, int64_t value) {
  if (input == kNoValue) return true;
  const auto& integers = graph.value(input).integers;
  if (!integers) return false;
  return std::all_of(integers->begin(), integers->end(),
                     [&](const DimExpr& integer) { return integer == DimExpr(value); });
}

bool keeps_order(const Node& node) {
  const std::vector<int64_t>& perm = node.attrs.as<ops::TransposeAttrs>().perm;
  return !perm.empty() && std::is_sorted(perm.begin(), perm.end());
}

// Moves nothing when the type stays the same.
bool changes_only_the_type(const Graph& graph, const Node& node) {
  if (is_one_of(node, {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Expand", "Cast", "CastLike", "Identity"}))
    return true;
  if (is_plain(node, "Transpose")) return keeps_order(node);
  if (is_plain(node, "Slice")) return all_integers_are(graph, input_or_none(node, 4), 1);
  if (is_plain(node, "Pad")) return all_integers_are(graph, node.inputs[1], 0);
  if (is_one_of(node, {"Concat", "Sum", "Mean", "Max", "Min"})) return node.base_inputs == 1;
  if (is_plain(node, "Split")) return node.outputs.size() == 1;
  if (is_plain(node, "Tile")) return all_integers_are(graph, node.inputs[1], 1);
  return false;
}

// The input that the node gives back; kNoValue when it does something.
ValueId given_back(const Graph& graph, const Node& node) {
  if (node.inputs.empty()) return kNoValue;
  const auto is = [&](size_t index, float value) { return uniform(graph, input_or_none(node, index)) == value; };
  if (is_plain(node, "Mul")) return is(1, 1) ? node.inputs[0] : is(0, 1) ? node.inputs[1] : kNoValue;
  if (is_plain(node, "Add")) return is(1, 0) ? node.inputs[0] : is(0, 0) ? node.inputs[1] : kNoValue;
  if (is_plain(node, "Div") || is_plain(node, "Pow")) return is(1, 1) ? node.inputs[0] : kNoValue;
  if (is_plain(node, "Sub")) return is(1, 0) ? node.inputs[0] : kNoValue;
  if (is_plain(node, "Dropout")) {
    const bool mask_is_read =
        node.outputs.size() > 1 && (!graph.readers(node.outputs[1]).empty() || graph.is_output(node.outputs[1]));
    return mask_is_read ? kNoValue : node.inputs[0];
  }
  return changes_only_the_type(graph, node) ? node.inputs[0] : kNoValue;
}

}  // namespace

Result<Patch> remove_identities(const Graph& graph) {
  Patch patch(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    const ValueId input = given_back(graph, node);
    if (input == kNoValue || !(type_of(graph, input) == type_of(graph, node.outputs[0]))) continue;
    patch.redirect(node.outputs[0], input);
    patch.drop(static_cast<NodeId>(i));
    patch.count_hit();
  }
  return patch;
}

}  // namespace memline::passes

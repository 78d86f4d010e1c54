// Mul, Add, Sub and Div by constants of one number a channel, behind a Conv, ConvTranspose or Gemm that nothing else
// reads, go into the weights and the bias. A constant that differs along another axis is no scale of channels (ONNX
// aligns shapes from the right).
#include "passes/fold_affine.h"
#include "passes/match.h"
#include "passes/pass.h"

namespace memline::passes {
namespace {

std::optional<Affine> affine_of(const Graph& graph, const Node& node, ValueId value, int64_t channels) {
  const ValueId other = other_input(node, value);
  if (other == kNoValue) return std::nullopt;
  const auto numbers = per_channel(graph, other, type_of(graph, value).rank(), 1, channels);
  if (!numbers) return std::nullopt;
  const bool is_left = node.inputs[0] == value;
  const auto count = static_cast<size_t>(channels);
  Affine affine{std::vector<double>(count, 1), std::vector<double>(count, 0)};
  for (size_t c = 0; c < count; ++c) {
    const double k = (*numbers)[c];
    if (is_plain(node, "Mul"))
      affine.scale[c] = k;
    else if (is_plain(node, "Add"))
      affine.shift[c] = k;
    else if (is_plain(node, "Sub") && is_left)
      affine.shift[c] = -k;
    else if (is_plain(node, "Sub"))
      affine.scale[c] = -1, affine.shift[c] = k;
    else if (is_plain(node, "Div") && is_left && k != 0)
      affine.scale[c] = 1 / k;
    else
      return std::nullopt;
  }
  return affine;
}

}  // namespace

Result<Patch> fuse_conv_affine(const Graph& graph) {
  Patch patch(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto conv_id = static_cast<NodeId>(i);
    const Node& conv = graph.node(conv_id);
    const auto channels = foldable_channels(graph, conv);
    const NodeId reader = channels ? graph.only_reader(conv.outputs[0]) : kNoNode;
    if (reader == kNoNode) continue;
    const Node& node = graph.node(reader);
    const auto affine = affine_of(graph, node, conv.outputs[0], *channels);
    if (!affine) continue;
    patch.redirect(node.outputs[0], add_folded(patch, graph, conv, *affine, node.outputs[0]));
    patch.drop(conv_id);
    patch.drop(reader);
    patch.count_hit();
  }
  return patch;
}

}  // namespace memline::passes

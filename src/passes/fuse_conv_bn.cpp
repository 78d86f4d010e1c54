// BatchNormalization behind a Conv, ConvTranspose or Gemm that nothing else reads goes into the weights and the bias.
#include <cmath>

#include "ops/batch_normalization.h"
#include "passes/fold_affine.h"
#include "passes/match.h"
#include "passes/pass.h"

namespace memline::passes {
namespace {

std::optional<Affine> affine_of(const Graph& graph, const Node& bn, int64_t channels) {
  std::array<std::vector<double>, 4> parameters;  // scale, shift, mean, variance
  for (size_t i = 0; i < 4; ++i) {
    const auto values = has_input(bn, i + 1) ? doubles(graph, bn.inputs[i + 1], channels) : std::nullopt;
    if (!values || static_cast<int64_t>(values->size()) != channels) return std::nullopt;
    parameters[i] = *values;
  }
  const auto& [scale, shift, mean, variance] = parameters;
  const double epsilon = bn.attrs.as<ops::BatchNormalizationAttrs>().epsilon;
  Affine affine;
  for (size_t c = 0; c < scale.size(); ++c) {
    affine.scale.push_back(scale[c] / std::sqrt(variance[c] + epsilon));
    affine.shift.push_back(shift[c] - mean[c] * affine.scale[c]);
  }
  return affine;
}

}  // namespace

Result<Patch> fuse_conv_bn(const Graph& graph) {
  Patch patch(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto conv_id = static_cast<NodeId>(i);
    const Node& conv = graph.node(conv_id);
    const auto channels = foldable_channels(graph, conv);
    const NodeId bn_id = channels ? sole_reader(graph, conv.outputs[0], "BatchNormalization") : kNoNode;
    if (bn_id == kNoNode) continue;
    const Node& bn = graph.node(bn_id);
    const auto affine =
        bn.inputs[0] == conv.outputs[0] && bn.outputs.size() == 1 ? affine_of(graph, bn, *channels) : std::nullopt;
    if (!affine) continue;
    patch.redirect(bn.outputs[0], add_folded(patch, graph, conv, *affine, bn.outputs[0]));
    patch.drop(conv_id);
    patch.drop(bn_id);
    patch.count_hit();
  }
  return patch;
}

}  // namespace memline::passes

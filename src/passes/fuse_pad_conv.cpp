// A Pad with zeros on spatial axes, read by one Conv alone, becomes the Conv's own padding. A maximum pool is another
// matter: its own padding is minus infinity, not zero.
#include "ops/conv.h"
#include "passes/match.h"
#include "passes/pass.h"

namespace memline::passes {
namespace {

bool pads_with_zeros(const Graph& graph, const Node& pad) {
  if (!pad.attrs.text().empty()) return false;  // a mode other than constant
  return !has_input(pad, 2) || uniform(graph, pad.inputs[2]) == 0.0f;
}

// [begin..., end...] over the spatial axes; nullopt when they are not known, negative, or on batch or channels.
std::optional<std::vector<int64_t>> spatial_pads(const Graph& graph, const Node& pad, int rank) {
  const auto& pads = graph.value(pad.inputs[1]).integers;
  if (!pads || pads->size() % 2 != 0) return std::nullopt;
  const size_t count = pads->size() / 2;
  const auto all = static_cast<size_t>(rank);
  std::vector<int64_t> axes;
  if (has_input(pad, 3)) {
    const auto& integers = graph.value(pad.inputs[3]).integers;
    if (!integers || integers->size() != count) return std::nullopt;
    for (const DimExpr& axis : *integers) axes.push_back(axis.constant().value_or(-1 - rank));
  } else {
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  }
  if (axes.size() != count) return std::nullopt;
  std::vector<int64_t> by_axis(2 * all);
  for (size_t i = 0; i < count; ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    const auto begin = (*pads)[i].constant(), end = (*pads)[count + i].constant();
    if (!begin || !end || *begin < 0 || *end < 0 || axis < 0 || axis >= rank) return std::nullopt;
    by_axis[static_cast<size_t>(axis)] = *begin;
    by_axis[all + static_cast<size_t>(axis)] = *end;
  }
  std::vector<int64_t> spatial;
  for (size_t i = 0; i < 2 * all; ++i) {
    if (i % all >= 2)
      spatial.push_back(by_axis[i]);
    else if (by_axis[i] != 0)
      return std::nullopt;
  }
  return spatial;
}

}  // namespace

Result<Patch> fuse_pad_conv(const Graph& graph) {
  Patch patch(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto pad_id = static_cast<NodeId>(i);
    const Node& pad = graph.node(pad_id);
    if (!is_plain(pad, "Pad") || !pads_with_zeros(graph, pad)) continue;
    const NodeId conv_id = graph.only_reader(pad.outputs[0]);
    if (conv_id == kNoNode || graph.node(conv_id).op->name != "Conv" || graph.node(conv_id).inputs[0] != pad.outputs[0])
      continue;
    const Node& conv = graph.node(conv_id);
    auto attrs = conv.attrs.as<ops::ConvAttrs>();
    const auto pads = spatial_pads(graph, pad, type_of(graph, pad.inputs[0]).rank());
    if (!pads || attrs.auto_pad != "NOTSET") continue;
    attrs.pads.resize(pads->size());
    for (size_t k = 0; k < pads->size(); ++k) attrs.pads[k] += (*pads)[k];
    GraphBuilder::NodeSpec spec = spec_of(graph, conv);
    spec.inputs[0] = pad.inputs[0];
    spec.attrs = ops::Attrs::of(std::move(attrs));
    patch.redirect(conv.outputs[0], patch.add_node(std::move(spec))[0]);
    patch.drop(pad_id);
    patch.drop(conv_id);
    patch.count_hit();
  }
  return patch;
}

}  // namespace memline::passes

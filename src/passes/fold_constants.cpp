// Nodes whose results are known before any run become constants: all inputs are constants, or shape arithmetic knows
// the integers. A constant takes memory from load to unload, an activation only while it is needed, so a result may be
// larger than what it is made from only fourfold (weights from int8 or f16: a product whose weights are computed would
// be far slower), and by kMaxGrowth (Expand, Range, grids of cells).
#include <algorithm>

#include "base/size.h"
#include "graph/fold.h"
#include "passes/pass.h"

namespace memline::passes {
namespace {

constexpr int64_t kMaxGrowth = 1 << 20;
constexpr int64_t kWidening = 4;

int64_t input_bytes(const KnownConstants& known, const Node& node) {
  int64_t bytes = 0;
  for (const ValueId input : node.inputs) {
    const Constant* constant = input == kNoValue ? nullptr : known(input);
    if (constant != nullptr) bytes += constant->view.elements() * size_of(constant->view.dtype);
  }
  return bytes;
}

bool has_fixed_outputs(const Graph& graph, const Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) {
    const auto& dims = graph.value(output).type.dims;
    return std::all_of(dims.begin(), dims.end(), [](const DimExpr& dim) { return dim.is_constant(); });
  });
}

}  // namespace

Result<Patch> fold_constants(const Graph& graph) {
  Patch patch(graph);
  std::vector<std::optional<Constant>> folded(graph.value_count());
  const KnownConstants known = [&](ValueId value) -> const Constant* {
    if (const auto& own = folded[static_cast<size_t>(value)]) return &*own;
    const auto& constant = graph.value(value).constant;
    return constant ? &*constant : nullptr;
  };
  std::vector<NodeId> done;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const Node& node = graph.node(id);
    // A count that becomes a number changes the types behind it: only the importer, which has not made them yet, can do
    // that.
    if (!has_fixed_outputs(graph, node)) continue;
    auto constants =
        fold_node(graph, id, saturating_add(saturating_mul(kWidening, input_bytes(known, node)), kMaxGrowth), known);
    if (!constants) return with_prefix(std::move(constants).error(), fmt::format("{} '{}'", node.op->name, node.name));
    if (!*constants) continue;
    for (size_t k = 0; k < node.outputs.size(); ++k) folded[static_cast<size_t>(node.outputs[k])] = (**constants)[k];
    done.push_back(id);
  }
  for (const NodeId id : done) {
    for (const ValueId output : graph.node(id).outputs)
      if (graph.is_output(output) || !graph.readers(output).empty())
        patch.redirect(output, patch.add_constant(graph.value(output).name, *folded[static_cast<size_t>(output)]));
    patch.drop(id);
    patch.count_hit();
  }
  return patch;
}

}  // namespace memline::passes

#include "graph/fold.h"

#include <algorithm>

#include "base/size.h"
#include "graph/evaluate.h"
#include "graph/infer.h"
#include "ops/reference.h"

namespace memline {
namespace {

std::optional<Constant> from_integers(const Value& value) {
  if (!value.integers || is_float(value.type.dtype)) return std::nullopt;
  std::vector<int64_t> dims;
  for (const DimExpr& dim : value.type.dims) {
    if (!dim.is_constant()) return std::nullopt;
    dims.push_back(*dim.constant());
  }
  for (const DimExpr& integer : *value.integers)
    if (!integer.is_constant()) return std::nullopt;
  Constant constant = make_zeros(value.type.dtype, dims);
  for (size_t i = 0; i < value.integers->size(); ++i)
    ops::store(constant.view, static_cast<int64_t>(i), *(*value.integers)[i].constant());
  return constant;
}

// The most bytes the node's outputs can take; counts at their bound.
int64_t output_bytes(const Graph& graph, const Node& node) {
  int64_t total = 0;
  for (const ValueId output : node.outputs) {
    const TensorType& type = graph.value(output).type;
    int64_t bytes = size_of(type.dtype);
    for (const DimExpr& dim : type.dims)
      bytes = saturating_mul(bytes, dim.is_constant() ? *dim.constant() : dim.bounds(graph.slot_ranges()).max);
    total = saturating_add(total, bytes);
  }
  return total;
}

}  // namespace

Result<std::optional<std::vector<Constant>>> fold_node(const Graph& graph, NodeId id, int64_t max_bytes,
                                                       const KnownConstants& known) {
  const Node& node = graph.node(id);
  if (!node.op->deterministic || !node.blocks.empty()) return std::nullopt;
  if (node.outputs.size() == 1)
    if (auto constant = from_integers(graph.value(node.outputs[0])))
      return std::optional(std::vector<Constant>{*std::move(constant)});
  if (!node.op->reference) return std::nullopt;
  std::vector<TensorView> inputs;
  for (const ValueId input : node.inputs) {
    const Constant* constant = input == kNoValue ? nullptr : known(input);
    if (input != kNoValue && constant == nullptr) return std::nullopt;
    inputs.push_back(constant == nullptr ? TensorView{} : constant->view);
  }
  if (output_bytes(graph, node) > max_bytes) return std::nullopt;
  MEML_TRY(std::vector<Constant> outputs, evaluate_node(graph, id, inputs, {.max_live_bytes = max_bytes}));
  for (Constant& output : outputs)
    if (!output.view.is_dense(AxisOrder::row_major(output.view.rank))) output = densify(output.view);
  return std::optional(std::move(outputs));
}

Result<std::optional<std::vector<Constant>>> fold_node(const Graph& graph, NodeId id, int64_t max_bytes) {
  return fold_node(graph, id, max_bytes, [&](ValueId value) -> const Constant* {
    const auto& constant = graph.value(value).constant;
    return constant ? &*constant : nullptr;
  });
}

}  // namespace memline

#include "passes/match.h"

#include <algorithm>
#include <cmath>

#include "ops/reference.h"

namespace memline::passes {

bool is_plain(const Node& node, std::string_view op) {
  return node.op->name == op && node.op->domain.empty() && node.epilogues.empty();
}

const Node* made_by(const Graph& graph, ValueId value, std::string_view op) {
  if (value == kNoValue || graph.producer(value) == kNoNode) return nullptr;
  const Node& node = graph.node(graph.producer(value));
  return is_plain(node, op) && node.outputs[0] == value ? &node : nullptr;
}

NodeId sole_reader(const Graph& graph, ValueId value, std::string_view op) {
  const NodeId reader = graph.only_reader(value);
  return reader != kNoNode && is_plain(graph.node(reader), op) ? reader : kNoNode;
}

bool has_input(const Node& node, size_t index) { return input_or_none(node, index) != kNoValue; }

ValueId input_or_none(const Node& node, size_t index) {
  return index < node.base_inputs ? node.inputs[index] : kNoValue;
}

ValueId other_input(const Node& node, ValueId value) {
  if (node.base_inputs != 2 || node.inputs[0] == node.inputs[1]) return kNoValue;
  if (node.inputs[0] == value) return node.inputs[1];
  return node.inputs[1] == value ? node.inputs[0] : kNoValue;
}

const TensorType& type_of(const Graph& graph, ValueId value) { return graph.value(value).type; }

bool is_computed_in_f32(DType dtype) { return is_float(dtype) && dtype != DType::f64; }

std::optional<std::vector<double>> doubles(const Graph& graph, ValueId value, int64_t limit) {
  if (!graph.is_constant(value)) return std::nullopt;
  const TensorView& view = graph.value(value).constant->view;
  if (!is_float(view.dtype) || view.elements() > limit) return std::nullopt;
  std::vector<double> values;
  values.reserve(static_cast<size_t>(view.elements()));
  ops::walk<1>(view.rank, view.dims, {view.strides},
               [&](const auto& at) { values.push_back(ops::load<double>(view, at[0])); });
  return values;
}

std::optional<float> scalar(const Graph& graph, ValueId value) {
  const auto values = doubles(graph, value, 1);
  return values && values->size() == 1 ? std::optional(static_cast<float>((*values)[0])) : std::nullopt;
}

std::optional<float> uniform(const Graph& graph, ValueId value) {
  constexpr int64_t kMostElements = 1 << 20;
  const auto values = doubles(graph, value, kMostElements);
  if (!values || values->empty()) return std::nullopt;
  const bool equal = std::all_of(values->begin(), values->end(), [&](double x) { return x == values->front(); });
  return equal ? std::optional(static_cast<float>(values->front())) : std::nullopt;
}

std::optional<std::vector<double>> per_channel(const Graph& graph, ValueId value, int rank, int axis,
                                               int64_t channels) {
  const auto values = doubles(graph, value, channels);
  if (!values || values->empty()) return std::nullopt;
  const TensorView& view = graph.value(value).constant->view;
  if (view.rank > rank) return std::nullopt;
  for (int i = 0; i < view.rank; ++i)
    if (view.dim(i) != 1 && (i + rank - view.rank != axis || view.dim(i) != channels)) return std::nullopt;
  if (values->size() == 1) return std::vector<double>(static_cast<size_t>(channels), values->front());
  return values;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(b)); }

GraphBuilder::NodeSpec spec_of(const Graph& graph, const Node& node) {
  GraphBuilder::NodeSpec spec{.name = node.name,
                              .op = node.op,
                              .attrs = node.attrs,
                              .inputs = node.inputs,
                              .epilogues = node.epilogues,
                              .blocks = node.blocks,
                              .base_inputs = node.base_inputs};
  for (const ValueId output : node.outputs) spec.output_names.push_back(graph.value(output).name);
  return spec;
}

void append_epilogue(GraphBuilder::NodeSpec& spec, ops::Epilogue epilogue, ValueId input) {
  if (input != kNoValue) {
    epilogue.input = static_cast<int32_t>(spec.inputs.size());
    spec.inputs.push_back(input);
  }
  spec.epilogues.push_back(epilogue);
}

Constant float_constant(DType dtype, std::vector<int64_t> dims, const std::vector<double>& values) {
  Constant constant = make_zeros(dtype, dims);
  for (size_t i = 0; i < values.size(); ++i) ops::store(constant.view, static_cast<int64_t>(i), values[i]);
  return constant;
}

}  // namespace memline::passes

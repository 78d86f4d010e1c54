#include "choose/view_order.h"

#include <algorithm>

namespace memline {

ops::Placement dense_placement(const std::vector<DimExpr>& dims, const AxisOrder& order) {
  ops::Placement placement;
  placement.strides.resize(dims.size());
  DimExpr stride = 1;
  for (int i = order.rank - 1; i >= 0; --i) {
    const size_t axis = order.axes[static_cast<size_t>(i)];
    placement.strides[axis] = stride;
    stride = stride * dims[axis];
  }
  return placement;
}

std::optional<AxisOrder> order_of(const ops::Placement& placement, const std::vector<DimExpr>& dims,
                                  std::span<const int64_t> slots) {
  const auto is_one = [&](uint8_t axis) { return dims[axis].constant() == 1; };
  std::vector<uint8_t> moving;
  for (uint8_t axis = 0; axis < dims.size(); ++axis)
    if (!is_one(axis)) moving.push_back(axis);
  const auto stride_at = [&](uint8_t axis) { return placement.strides[axis].evaluate(slots.data()); };
  std::stable_sort(moving.begin(), moving.end(), [&](uint8_t a, uint8_t b) { return stride_at(a) > stride_at(b); });
  if (!moving.empty() && placement.strides[moving.back()].constant() != 1) return std::nullopt;
  AxisOrder order = AxisOrder::row_major(static_cast<int>(dims.size()));
  size_t next = 0;
  for (uint8_t axis = 0; axis < dims.size(); ++axis)
    if (!is_one(axis)) order.axes[axis] = moving[next++];
  return order;
}

bool same_memory(const std::vector<int64_t>& max_dims, const std::vector<DimExpr>& dims, const AxisOrder& a,
                 const AxisOrder& b) {
  if (a == b) return true;
  std::vector<uint8_t> left, right;
  for (size_t i = 0; i < a.rank; ++i) {
    if (dims[a.axes[i]].constant() != 1) left.push_back(a.axes[i]);
    if (dims[b.axes[i]].constant() != 1) right.push_back(b.axes[i]);
  }
  return left == right || std::find(max_dims.begin(), max_dims.end(), 0) != max_dims.end();
}

ViewContext::ViewContext(const Graph& graph, const Node& node) {
  for (size_t i = 0; i < node.base_inputs; ++i) {
    ops::InferInput input;
    input.present = node.inputs[i] != kNoValue;
    if (input.present) {
      const Value& value = graph.value(node.inputs[i]);
      input.type = value.type;
      if (value.constant) input.constant = &value.constant->view;
      if (value.integers) input.values = &*value.integers;
    }
    inputs_.push_back(std::move(input));
  }
  context_.emplace(inputs_, node.outputs.size(), nullptr);
}

}  // namespace memline

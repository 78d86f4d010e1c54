// Placements and axis orders: what a dense value's placement is in an order, and which order a placement lies in.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "tensor/layout.h"

namespace memline {

// Offset 0 and dense strides.
ops::Placement dense_placement(const std::vector<DimExpr>& dims, const AxisOrder& order);

// The axes by falling stride (at `slots`); axes of constant extent 1 keep their logical place. nullopt unless the last
// axis in memory (of extent > 1) has stride 1.
std::optional<AxisOrder> order_of(const ops::Placement& placement, const std::vector<DimExpr>& dims,
                                  std::span<const int64_t> slots);

// Whether a dense value lies the same in both orders: they differ at most in axes whose extent is the constant 1.
bool same_memory(const std::vector<int64_t>& max_dims, const std::vector<DimExpr>& dims, const AxisOrder& a,
                 const AxisOrder& b);

// The InferContext of a node of a graph, for the ops' view functions.
class ViewContext {
 public:
  ViewContext(const Graph& graph, const Node& node);
  const ops::InferContext& infer() const { return *context_; }

 private:
  std::vector<ops::InferInput> inputs_;
  std::optional<ops::InferContext> context_;
};

}  // namespace memline

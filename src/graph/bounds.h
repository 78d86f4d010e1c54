// The largest values of expressions over a graph's slots. A slot that stands for an expression too large to carry along
// is looked through, so that what two such slots have in common still counts: the product of a picture's two inside
// sizes is bounded by 800x1333, not by 1333x1333.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensor/dim_expr.h"

namespace memline {

class SlotBounds {
 public:
  // The next slot; `value` reads slots before it.
  void add(Interval range, const std::optional<DimExpr>& value);
  const std::vector<Interval>& ranges() const { return ranges_; }

  int64_t maximum(const DimExpr& expression) const;
  int64_t minimum(const DimExpr& expression) const { return expression.bounds(ranges_).min; }

 private:
  std::vector<Interval> ranges_;
  std::vector<DimExpr> meaning_;  // by slot: itself, or its expression over slots that are no expressions
  mutable std::unordered_map<uint64_t, std::vector<std::pair<DimExpr, int64_t>>> known_;  // by hash
};

}  // namespace memline

#include "graph/bounds.h"

namespace memline {
namespace {

// Past this an expression is not looked through: its value would take too long to find 4096 times.
constexpr int kMostNodes = 2048;

}  // namespace

void SlotBounds::add(Interval range, const std::optional<DimExpr>& value) {
  DimExpr meaning = DimExpr::slot(static_cast<int32_t>(ranges_.size()));
  if (value) {
    DimExpr inside = value->substitute(meaning_);
    if (inside.node_count() <= kMostNodes) meaning = std::move(inside);
  }
  ranges_.push_back(range);
  meaning_.push_back(std::move(meaning));
}

int64_t SlotBounds::maximum(const DimExpr& expression) const {
  if (expression.is_constant()) return *expression.constant();
  std::vector<std::pair<DimExpr, int64_t>>& same_hash = known_[expression.hash()];
  for (const auto& [known, value] : same_hash)
    if (known == expression) return value;
  const DimExpr inside = expression.substitute(meaning_);
  int64_t value = memline::maximum(inside.node_count() <= kMostNodes ? inside : expression, ranges_);
  if (const auto slot = expression.slot_index()) value = std::min(value, ranges_[static_cast<size_t>(*slot)].max);
  same_hash.emplace_back(expression, value);
  return value;
}

}  // namespace memline

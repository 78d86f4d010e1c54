// FloatExpr: float32 arithmetic in the order written. Only operations on two constants are folded, and x*1 and x/1:
// anything else could change a bit.
#include <bit>

#include "tensor/dim_node.h"

namespace memline {

FloatExpr::FloatExpr(float value) : FloatExpr(DimNode::make_float({.kind = DimKind::number, .number = value})) {}

FloatExpr::FloatExpr(const DimExpr& dim)
    : FloatExpr(dim.is_constant() ? FloatExpr(static_cast<float>(*dim.constant()))
                                  : DimNode::make_float({.kind = DimKind::from_dim, .dims = {dim}})) {}

std::optional<float> FloatExpr::constant() const {
  return node_->kind == DimKind::number ? std::optional(node_->number) : std::nullopt;
}

std::optional<DimExpr> FloatExpr::integer() const {
  return node_->kind == DimKind::from_dim ? std::optional(node_->dims[0]) : std::nullopt;
}

float FloatExpr::evaluate(const int64_t* slots) const noexcept {
  if (node_->kind == DimKind::number) return node_->number;
  if (node_->kind == DimKind::from_dim) return static_cast<float>(node_->dims[0].evaluate(slots));
  return dim_math::apply(node_->kind, node_->floats[0].evaluate(slots), node_->floats[1].evaluate(slots));
}

int FloatExpr::node_count() const { return node_->node_count; }

void FloatExpr::collect_slots(std::vector<int32_t>& slots) const {
  for (const DimExpr& dim : node_->dims) dim.collect_slots(slots);
  for (const FloatExpr& x : node_->floats) x.collect_slots(slots);
}

bool FloatExpr::operator==(const FloatExpr& other) const {
  return node_->hash == other.node_->hash && compare(*this, other) == 0;
}

FloatExpr make_float(int kind, const FloatExpr& a, const FloatExpr& b) {
  const auto x = a.constant(), y = b.constant();
  if (x && y) return dim_math::apply(static_cast<DimKind>(kind), *x, *y);
  const bool scales = static_cast<DimKind>(kind) == DimKind::multiply || static_cast<DimKind>(kind) == DimKind::divide;
  if (scales && y == 1.0f) return a;
  return DimNode::make_float({.kind = static_cast<DimKind>(kind), .floats = {a, b}});
}

DimExpr make_rounding(int kind, const FloatExpr& x) {
  if (const auto constant = x.constant())
    return dim_math::to_integer(dim_math::round(static_cast<DimKind>(kind), *constant));
  // What a float was rounded to is a float again without loss, and stays what it is.
  if (const auto integer = x.integer())
    if (const DimNode* node = DimNode::of(*integer); node != nullptr && !node->floats.empty()) return *integer;
  return DimNode::make_dim({.kind = static_cast<DimKind>(kind), .floats = {x}});
}

FloatExpr operator+(const FloatExpr& a, const FloatExpr& b) { return make_float(static_cast<int>(DimKind::add), a, b); }
FloatExpr operator-(const FloatExpr& a, const FloatExpr& b) {
  return make_float(static_cast<int>(DimKind::subtract), a, b);
}
FloatExpr operator*(const FloatExpr& a, const FloatExpr& b) {
  return make_float(static_cast<int>(DimKind::multiply), a, b);
}
FloatExpr operator/(const FloatExpr& a, const FloatExpr& b) {
  return make_float(static_cast<int>(DimKind::divide), a, b);
}
FloatExpr min(const FloatExpr& a, const FloatExpr& b) { return make_float(static_cast<int>(DimKind::float_min), a, b); }
FloatExpr max(const FloatExpr& a, const FloatExpr& b) { return make_float(static_cast<int>(DimKind::float_max), a, b); }
DimExpr floor(const FloatExpr& x) { return make_rounding(static_cast<int>(DimKind::floor), x); }
DimExpr ceil(const FloatExpr& x) { return make_rounding(static_cast<int>(DimKind::ceil), x); }
DimExpr round_half_even(const FloatExpr& x) { return make_rounding(static_cast<int>(DimKind::round), x); }
DimExpr trunc(const FloatExpr& x) { return make_rounding(static_cast<int>(DimKind::trunc), x); }

}  // namespace memline

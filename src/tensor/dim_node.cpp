// What does not build expressions but looks at them: counting, hashing, ordering, evaluating, walking.
#include "tensor/dim_node.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/size.h"

namespace memline {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
// Counts saturate here: sharing can make a tree exponentially larger than what it takes in memory.
constexpr int64_t kCountLimit = 1 << 30;

uint64_t mixed(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 32);
}

void finish(DimNode& node) {
  uint64_t hash = mixed(static_cast<uint64_t>(node.kind), static_cast<uint64_t>(node.constant));
  hash = mixed(hash, std::bit_cast<uint32_t>(node.number));
  int64_t count = 1;
  for (const int64_t coefficient : node.coefficients) hash = mixed(hash, static_cast<uint64_t>(coefficient));
  for (const DimExpr& dim : node.dims) {
    hash = mixed(hash, dim.hash());
    count += dim.node_count();
  }
  for (const FloatExpr& x : node.floats) {
    hash = mixed(hash, DimNode::of(x).hash);
    count += DimNode::of(x).node_count;
  }
  node.hash = hash;
  node.node_count = static_cast<int32_t>(std::min(count, kCountLimit));
}

template <typename T>
int ordered(T a, T b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int compare_nodes(const DimNode& a, const DimNode& b) {
  if (&a == &b) return 0;
  if (const int order = ordered(a.kind, b.kind)) return order;
  if (const int order = ordered(a.constant, b.constant)) return order;
  if (const int order = ordered(std::bit_cast<uint32_t>(a.number), std::bit_cast<uint32_t>(b.number))) return order;
  if (const int order = ordered(a.dims.size(), b.dims.size())) return order;
  if (const int order = ordered(a.floats.size(), b.floats.size())) return order;
  for (size_t i = 0; i < a.dims.size(); ++i)
    if (const int order = compare(a.dims[i], b.dims[i])) return order;
  for (size_t i = 0; i < a.floats.size(); ++i)
    if (const int order = compare(a.floats[i], b.floats[i])) return order;
  for (size_t i = 0; i < a.coefficients.size(); ++i)
    if (const int order = ordered(a.coefficients[i], b.coefficients[i])) return order;
  return 0;
}

int64_t evaluate_node(const DimNode& node, const int64_t* slots) noexcept {
  const auto dim = [&](size_t i) { return node.dims[i].evaluate(slots); };
  switch (node.kind) {
    case DimKind::slot:
      return slots[node.constant];
    case DimKind::sum: {
      int64_t total = node.constant;
      for (size_t i = 0; i < node.dims.size(); ++i)
        total = saturating_add(total, saturating_mul(node.coefficients[i], dim(i)));
      return total;
    }
    case DimKind::product: {
      int64_t total = dim(0);
      for (size_t i = 1; i < node.dims.size(); ++i) total = saturating_mul(total, dim(i));
      return total;
    }
    case DimKind::min:
    case DimKind::max: {
      int64_t best = dim(0);
      for (size_t i = 1; i < node.dims.size(); ++i)
        best = node.kind == DimKind::min ? std::min(best, dim(i)) : std::max(best, dim(i));
      return best;
    }
    case DimKind::floor_div:
      return dim_math::floor_div(dim(0), dim(1));
    case DimKind::mod:
      return dim_math::mod(dim(0), dim(1));
    case DimKind::equal:
      return dim(0) == dim(1) ? 1 : 0;
    case DimKind::less:
      return dim(0) < dim(1) ? 1 : 0;
    case DimKind::select:
      return dim(0) != 0 ? dim(1) : dim(2);
    default:
      return dim_math::to_integer(dim_math::round(node.kind, node.floats[0].evaluate(slots)));
  }
}

void collect(const DimNode& node, std::vector<int32_t>& slots) {
  if (node.kind == DimKind::slot) slots.push_back(static_cast<int32_t>(node.constant));
  for (const DimExpr& dim : node.dims)
    if (const DimNode* child = DimNode::of(dim)) collect(*child, slots);
  for (const FloatExpr& x : node.floats) collect(DimNode::of(x), slots);
}

FloatExpr substitute_float(const FloatExpr& x, std::span<const DimExpr> replacements) {
  const DimNode& node = DimNode::of(x);
  if (node.kind == DimKind::number) return x;
  if (node.kind == DimKind::from_dim) return FloatExpr(node.dims[0].substitute(replacements));
  return make_float(static_cast<int>(node.kind), substitute_float(node.floats[0], replacements),
                    substitute_float(node.floats[1], replacements));
}

}  // namespace

namespace dim_math {

int64_t floor_div(int64_t a, int64_t b) noexcept {
  if (b == 0) return 0;
  if (b == -1) return a == kLeast ? kMost : -a;
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t mod(int64_t a, int64_t b) noexcept {
  if (b == 0 || b == -1) return 0;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

int64_t to_integer(float value) noexcept {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63f) return kMost;
  if (value < -0x1p63f) return kLeast;
  return static_cast<int64_t>(value);
}

// fmin and fmax ignore a NaN: the bounds of a float expression rely on it (dim_bounds.cpp).
float apply(DimKind kind, float a, float b) noexcept {
  switch (kind) {
    case DimKind::add:
      return a + b;
    case DimKind::subtract:
      return a - b;
    case DimKind::multiply:
      return a * b;
    case DimKind::divide:
      return a / b;
    case DimKind::float_min:
      return std::fmin(a, b);
    default:
      return std::fmax(a, b);
  }
}

float round(DimKind kind, float x) noexcept {
  switch (kind) {
    case DimKind::floor:
      return std::floor(x);
    case DimKind::ceil:
      return std::ceil(x);
    case DimKind::round:
      return std::nearbyint(x);
    default:
      return std::trunc(x);
  }
}

}  // namespace dim_math

DimExpr DimNode::make_dim(DimNode node) {
  finish(node);
  return DimExpr(std::make_shared<const DimNode>(std::move(node)));
}

FloatExpr DimNode::make_float(DimNode node) {
  finish(node);
  return FloatExpr(std::make_shared<const DimNode>(std::move(node)));
}

int compare(const DimExpr& a, const DimExpr& b) {
  const DimNode *x = DimNode::of(a), *y = DimNode::of(b);
  if (x != nullptr && y != nullptr) return compare_nodes(*x, *y);
  if (x == nullptr && y == nullptr) return ordered(*a.constant(), *b.constant());
  return x == nullptr ? 1 : -1;  // constants last: "min(s0, 640)"
}

int compare(const FloatExpr& a, const FloatExpr& b) { return compare_nodes(DimNode::of(a), DimNode::of(b)); }

DimExpr DimExpr::slot(int32_t index) {
  MEML_CHECK(index >= 0);
  return DimNode::make_dim({.kind = DimKind::slot, .constant = index});
}

std::optional<int32_t> DimExpr::slot_index() const {
  if (node_ == nullptr || node_->kind != DimKind::slot) return std::nullopt;
  return static_cast<int32_t>(node_->constant);
}

int DimExpr::node_count() const { return node_ == nullptr ? 1 : node_->node_count; }

uint64_t DimExpr::hash() const {
  return node_ == nullptr ? mixed(0x5bd1e995u, static_cast<uint64_t>(value_)) : node_->hash;
}

bool DimExpr::operator==(const DimExpr& other) const {
  if (node_ == other.node_) return value_ == other.value_;
  return hash() == other.hash() && compare(*this, other) == 0;
}

int64_t DimExpr::evaluate(const int64_t* slots) const noexcept {
  return node_ == nullptr ? value_ : evaluate_node(*node_, slots);
}

// Adds to what is there: callers collect over all dims of a type.
void DimExpr::collect_slots(std::vector<int32_t>& slots) const {
  if (node_ == nullptr) return;
  collect(*node_, slots);
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
}

// A slot without a replacement stays itself.
DimExpr DimExpr::substitute(std::span<const DimExpr> replacements) const {
  if (node_ == nullptr) return *this;
  const DimNode& node = *node_;
  if (node.kind == DimKind::slot)
    return node.constant < static_cast<int64_t>(replacements.size()) ? replacements[static_cast<size_t>(node.constant)]
                                                                     : *this;
  if (!node.floats.empty())
    return make_rounding(static_cast<int>(node.kind), substitute_float(node.floats[0], replacements));
  std::vector<DimExpr> dims;
  for (const DimExpr& dim : node.dims) dims.push_back(dim.substitute(replacements));
  switch (node.kind) {
    case DimKind::sum: {
      DimExpr total = node.constant;
      for (size_t i = 0; i < dims.size(); ++i) total = total + dims[i] * node.coefficients[i];
      return total;
    }
    case DimKind::product:
      return product(dims);
    case DimKind::floor_div:
      return floor_div(dims[0], dims[1]);
    case DimKind::mod:
      return mod(dims[0], dims[1]);
    case DimKind::equal:
      return equal(dims[0], dims[1]);
    case DimKind::less:
      return less(dims[0], dims[1]);
    case DimKind::select:
      return select(dims[0], dims[1], dims[2]);
    default:
      return extremum(node.kind, std::move(dims));
  }
}

}  // namespace memline

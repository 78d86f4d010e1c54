// Interval arithmetic over expressions, and the largest value by branch and bound.
//   * Each operation is monotone in each argument (or split where it is not), and the ends are computed with the very
//     operations that evaluate() uses, in the same order, so rounding and saturation cannot make a bound unsound.
//   * A float that may be NaN has the bounds -inf..inf: NaN only arises where the ends meet inf - inf, 0 * inf or a
//     division by 0.
//   * maximum(): a heap of boxes by upper bound; the best value seen at corners and centres is the lower bound; the
//     top box is halved along its widest slot until both agree. What is left on top is the answer.
#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "base/size.h"
#include "tensor/dim_node.h"

namespace memline {
namespace {

constexpr Interval kEverything{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct FloatInterval {
  float min = -kInfinity;
  float max = kInfinity;
};

Interval hull(Interval a, Interval b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }

template <typename Operation>
Interval corners(Interval a, Interval b, Operation operation) {
  const auto [least, most] =
      std::minmax({operation(a.min, b.min), operation(a.min, b.max), operation(a.max, b.min), operation(a.max, b.max)});
  return {least, most};
}

Interval divided(Interval a, Interval b) {
  Interval result{0, 0};
  bool any = b.min <= 0 && b.max >= 0;  // a division by zero gives 0
  for (const Interval part :
       {Interval{b.min, std::min<int64_t>(b.max, -1)}, Interval{std::max<int64_t>(b.min, 1), b.max}}) {
    if (part.min > part.max) continue;
    const Interval quotient = corners(a, part, dim_math::floor_div);
    result = any ? hull(result, quotient) : quotient;
    any = true;
  }
  return result;
}

Interval rest_of(Interval a, Interval b) {
  if (b.min == b.max && b.min > 0 && dim_math::floor_div(a.min, b.min) == dim_math::floor_div(a.max, b.min))
    return {dim_math::mod(a.min, b.min), dim_math::mod(a.max, b.min)};
  Interval result{b.min < 0 ? b.min + 1 : 0, b.max > 0 ? b.max - 1 : 0};
  if (a.min >= 0 && b.min > 0) result.max = std::min(result.max, a.max);
  return result;
}

Interval bounds_of(const DimExpr& expression, std::span<const Interval> ranges);

FloatInterval float_bounds(const FloatExpr& x, std::span<const Interval> ranges) {
  const DimNode& node = DimNode::of(x);
  if (node.kind == DimKind::number)
    return std::isnan(node.number) ? FloatInterval{} : FloatInterval{node.number, node.number};
  if (node.kind == DimKind::from_dim) {
    const Interval dim = bounds_of(node.dims[0], ranges);
    return {static_cast<float>(dim.min), static_cast<float>(dim.max)};
  }
  const FloatInterval a = float_bounds(node.floats[0], ranges), b = float_bounds(node.floats[1], ranges);
  if (node.kind == DimKind::divide && b.min <= 0 && b.max >= 0) return {};
  const float ends[] = {dim_math::apply(node.kind, a.min, b.min), dim_math::apply(node.kind, a.min, b.max),
                        dim_math::apply(node.kind, a.max, b.min), dim_math::apply(node.kind, a.max, b.max)};
  for (const float end : ends)
    if (std::isnan(end)) return {};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}

Interval rounded(const DimNode& node, std::span<const Interval> ranges) {
  const FloatInterval x = float_bounds(node.floats[0], ranges);
  return {dim_math::to_integer(dim_math::round(node.kind, x.min)),
          dim_math::to_integer(dim_math::round(node.kind, x.max))};
}

Interval node_bounds(const DimNode& node, std::span<const Interval> ranges) {
  const auto dim = [&](size_t i) { return bounds_of(node.dims[i], ranges); };
  switch (node.kind) {
    case DimKind::slot:
      return node.constant < static_cast<int64_t>(ranges.size()) ? ranges[static_cast<size_t>(node.constant)]
                                                                 : kEverything;
    case DimKind::sum: {
      Interval total{node.constant, node.constant};
      for (size_t i = 0; i < node.dims.size(); ++i) {
        const int64_t c = node.coefficients[i];
        const Interval term = corners({c, c}, dim(i), saturating_mul);
        total = {saturating_add(total.min, term.min), saturating_add(total.max, term.max)};
      }
      return total;
    }
    case DimKind::product:
    case DimKind::min:
    case DimKind::max: {
      Interval total = dim(0);
      for (size_t i = 1; i < node.dims.size(); ++i) {
        const Interval next = dim(i);
        if (node.kind == DimKind::product) total = corners(total, next, saturating_mul);
        if (node.kind == DimKind::min) total = {std::min(total.min, next.min), std::min(total.max, next.max)};
        if (node.kind == DimKind::max) total = {std::max(total.min, next.min), std::max(total.max, next.max)};
      }
      return total;
    }
    case DimKind::floor_div:
      return divided(dim(0), dim(1));
    case DimKind::mod:
      return rest_of(dim(0), dim(1));
    case DimKind::equal: {
      const Interval a = dim(0), b = dim(1);
      if (a.max < b.min || b.max < a.min) return {0, 0};
      return a.min == a.max && a == b ? Interval{1, 1} : Interval{0, 1};
    }
    case DimKind::less: {
      const Interval a = dim(0), b = dim(1);
      return {a.max < b.min ? 1 : 0, a.min < b.max ? 1 : 0};
    }
    case DimKind::select: {
      const Interval condition = dim(0);
      if (condition == Interval{0, 0}) return dim(2);
      return condition.min > 0 || condition.max < 0 ? dim(1) : hull(dim(1), dim(2));
    }
    default:
      return rounded(node, ranges);
  }
}

Interval bounds_of(const DimExpr& expression, std::span<const Interval> ranges) {
  const DimNode* node = DimNode::of(expression);
  return node == nullptr ? Interval{*expression.constant(), *expression.constant()} : node_bounds(*node, ranges);
}

struct Box {
  int64_t upper = 0;
  int64_t order = 0;  // earlier boxes first among equals, so that the result does not depend on the heap
  std::vector<Interval> ranges;
  bool operator<(const Box& other) const { return upper != other.upper ? upper < other.upper : order > other.order; }
};

int64_t middle(Interval range) {
  return range.min + static_cast<int64_t>((static_cast<uint64_t>(range.max) - static_cast<uint64_t>(range.min)) / 2);
}

// The best value among the box's least corner, largest corner and centre.
int64_t sample(const DimExpr& expression, const std::vector<Interval>& ranges, std::vector<int64_t>& point) {
  int64_t best = kEverything.min;
  for (int which = 0; which < 3; ++which) {
    for (size_t i = 0; i < ranges.size(); ++i)
      point[i] = which == 0 ? ranges[i].min : which == 1 ? ranges[i].max : middle(ranges[i]);
    best = std::max(best, expression.evaluate(point.data()));
  }
  return best;
}

// The slot with the widest range, or -1 when the box is a point.
int32_t widest(const std::vector<Interval>& ranges, std::span<const int32_t> slots) {
  int32_t best = -1;
  uint64_t best_width = 0;
  for (const int32_t slot : slots) {
    const Interval range = ranges[static_cast<size_t>(slot)];
    const uint64_t width = static_cast<uint64_t>(range.max) - static_cast<uint64_t>(range.min);
    if (width > best_width) best = slot, best_width = width;
  }
  return best;
}

// At a point a bound need not be exact (a float divided by zero), but the value is.
int64_t upper_of(const DimExpr& expression, const std::vector<Interval>& ranges, std::span<const int32_t> slots,
                 std::vector<int64_t>& point) {
  return widest(ranges, slots) < 0 ? sample(expression, ranges, point) : expression.bounds(ranges).max;
}

bool agree(int64_t lower, int64_t upper) {
  const double l = static_cast<double>(lower), u = static_cast<double>(upper);
  return u - l <= 0.02 * std::abs(l);
}

}  // namespace

Interval DimExpr::bounds(std::span<const Interval> ranges) const { return bounds_of(*this, ranges); }

int64_t maximum(const DimExpr& expression, std::span<const Interval> ranges, int max_boxes) {
  std::vector<int32_t> slots;
  expression.collect_slots(slots);
  std::vector<Interval> whole(ranges.begin(), ranges.end());
  if (!slots.empty() && static_cast<size_t>(slots.back()) >= whole.size())
    whole.resize(static_cast<size_t>(slots.back()) + 1, kEverything);
  std::vector<int64_t> point(whole.size());

  std::priority_queue<Box> boxes;
  boxes.push({upper_of(expression, whole, slots, point), 0, whole});
  int64_t lower = sample(expression, whole, point);
  for (int64_t looked_at = 1; looked_at + 2 <= max_boxes;) {
    const Box box = boxes.top();
    if (agree(lower, box.upper)) break;
    const int32_t slot = widest(box.ranges, slots);
    if (slot < 0) break;
    boxes.pop();
    const Interval range = box.ranges[static_cast<size_t>(slot)];
    const int64_t half = middle(range);
    for (const Interval part : {Interval{range.min, half}, Interval{half + 1, range.max}}) {
      Box next{0, looked_at++, box.ranges};
      next.ranges[static_cast<size_t>(slot)] = part;
      next.upper = std::min(box.upper, upper_of(expression, next.ranges, slots, point));
      lower = std::max(lower, sample(expression, next.ranges, point));
      boxes.push(std::move(next));
    }
  }
  return boxes.top().upper;
}

}  // namespace memline

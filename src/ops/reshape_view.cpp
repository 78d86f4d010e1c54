// Merging and splitting axes by strides alone: see reshape_view.h.
//   1. Both lists of dims are cut into the smallest groups, left to right, whose products agree: [2,3,4] -> [6,4] is
//     (2,3)(4) -> (6)(4).
//   2. In each group the source's axes of extent other than 1 must be one run in memory.
//   3. The target's axes get their strides from the run's innermost stride outwards.
#include "ops/reshape_view.h"

#include <algorithm>

namespace memline::ops {
namespace {

using Dims = std::vector<DimExpr>;

DimExpr product_of(const Dims& dims, size_t begin, size_t end) {
  return product(std::span(dims).subspan(begin, end - begin));
}

struct Group {
  size_t from_end = 0, to_end = 0;
};

// The smallest non-empty group that starts at (from_begin, to_begin).
std::optional<Group> next_group(const Dims& from, size_t from_begin, const Dims& to, size_t to_begin) {
  const size_t from_left = from.size() - from_begin, to_left = to.size() - to_begin;
  for (size_t length = 1; length <= from_left + to_left; ++length)
    for (size_t n = length > to_left ? length - to_left : 0; n <= std::min(length, from_left); ++n) {
      const Group group = {.from_end = from_begin + n, .to_end = to_begin + length - n};
      if (product_of(from, from_begin, group.from_end) == product_of(to, to_begin, group.to_end)) return group;
    }
  return std::nullopt;
}

// The innermost stride of axes [begin, end) when they are one run in memory.
std::optional<DimExpr> run_stride(const Dims& dims, const Placement& at, size_t begin, size_t end) {
  DimExpr innermost = 1, next = 1;  // a group of extent 1 may have any stride
  bool started = false;
  for (size_t axis = end; axis-- > begin;) {
    if (dims[axis].constant() == 1) continue;
    if (started && at.strides[axis] != next) return std::nullopt;
    if (!started) innermost = at.strides[axis];
    started = true;
    next = dims[axis] * at.strides[axis];
  }
  return innermost;
}

}  // namespace

std::optional<Placement> if_unit_stride(Placement at, const Dims& dims) {
  const bool single = std::all_of(dims.begin(), dims.end(), [](const DimExpr& dim) { return dim.constant() == 1; });
  const bool unit =
      std::any_of(at.strides.begin(), at.strides.end(), [](const DimExpr& s) { return s.constant() == 1; });
  return single || unit ? std::optional(std::move(at)) : std::nullopt;
}

std::optional<Placement> reshaped(const Dims& from, const Dims& to, const Placement& at) {
  Placement result = {.offset = at.offset, .strides = Dims(to.size())};
  bool unit = false;
  for (size_t f = 0, t = 0; f < from.size() || t < to.size();) {
    const std::optional<Group> group = next_group(from, f, to, t);
    if (!group) return std::nullopt;
    const std::optional<DimExpr> innermost = run_stride(from, at, f, group->from_end);
    if (!innermost) return std::nullopt;
    DimExpr stride = *innermost;
    for (size_t axis = group->to_end; axis-- > t;) {
      result.strides[axis] = stride;
      unit = unit || (to[axis].constant() != 1 && stride.constant() == 1);
      stride = stride * to[axis];
    }
    f = group->from_end, t = group->to_end;
  }
  const bool single = std::all_of(to.begin(), to.end(), [](const DimExpr& dim) { return dim.constant() == 1; });
  return unit || single ? std::optional(std::move(result)) : std::nullopt;
}

RowNeed reshaped_rows(const Dims& from, const Dims& to, int axis, RowRange rows) {
  for (size_t f = 0, t = 0; f < from.size() || t < to.size();) {
    const std::optional<Group> group = next_group(from, f, to, t);
    if (!group) break;
    const bool kept = group->from_end == f + 1 && group->to_end == t + 1;
    if (kept && t == static_cast<size_t>(axis)) return {.all = false, .axis = static_cast<int>(f), .rows = rows};
    f = group->from_end, t = group->to_end;
  }
  return {};
}

}  // namespace memline::ops

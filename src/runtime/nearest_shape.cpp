#include "runtime/nearest_shape.h"

#include <algorithm>

#include "runtime/inputs.h"

namespace memline::runtime {
namespace {

constexpr int64_t kFarthest = 4096;  // how far an extent is moved
constexpr int kRounds = 8;           // conditions may undo one another

using engine::Program;
using engine::ShapeCondition;

std::vector<int32_t> slots_of(const ShapeCondition& condition) {
  std::vector<int32_t> slots;
  condition.left.collect_slots(slots);
  condition.right.collect_slots(slots);
  return slots;
}

using Conditions = std::vector<const ShapeCondition*>;

// Moves one of the condition's input extents by as little as makes it hold. Where several moves are as small, the one
// that breaks the fewest other conditions is taken; among these the first, and smaller extents before larger ones.
bool mend(const Program& program, const ShapeCondition& condition, const Conditions& all, std::vector<int64_t>& slots) {
  const auto broken = [&] {
    return std::ranges::count_if(all, [&](const ShapeCondition* one) { return !holds(*one, slots.data()); });
  };
  for (int64_t distance = 1; distance <= kFarthest; ++distance) {
    std::vector<int64_t> best;
    auto fewest = static_cast<ptrdiff_t>(all.size()) + 1;
    for (const int32_t index : slots_of(condition)) {
      const Interval& range = program.slots[static_cast<size_t>(index)].range;
      int64_t& value = slots[static_cast<size_t>(index)];
      const int64_t before = value;
      for (const int64_t tried : {before - distance, before + distance}) {
        if (tried < range.min || tried > range.max) continue;
        value = tried;
        if (!holds(condition, slots.data()) || broken() >= fewest) continue;
        fewest = broken();
        best = slots;
      }
      value = before;
    }
    if (best.empty()) continue;
    slots = std::move(best);
    return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<int64_t>> nearest_slots(const Program& program, std::vector<int64_t> slots) {
  Conditions conditions;
  for (const ShapeCondition& condition : program.conditions)
    if (std::ranges::all_of(slots_of(condition),
                            [&](int32_t slot) { return program.slots[static_cast<size_t>(slot)].input >= 0; }))
      conditions.push_back(&condition);
  for (int round = 0; round < kRounds; ++round) {
    bool all = true;
    for (const ShapeCondition* condition : conditions) {
      if (holds(*condition, slots.data())) continue;
      all = false;
      if (!mend(program, *condition, conditions, slots)) return std::nullopt;
    }
    if (all) return slots;
  }
  return std::nullopt;
}

}  // namespace memline::runtime

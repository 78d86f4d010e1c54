#include "runtime/nearest_shape.h"

#include <algorithm>

#include "engine/slots.h"
#include "runtime/inputs.h"

namespace memline::runtime {
namespace {

constexpr int64_t kFarthest = 4096;  // how far an extent is moved
constexpr int kRounds = 8;           // conditions may undo one another

using engine::Program;
using engine::ShapeCondition;

std::vector<int32_t> slots_of(const ShapeCondition& condition) {
  std::vector<int32_t> slots;
  engine::add_slots(condition.left, slots);
  engine::add_slots(condition.right, slots);
  return slots;
}

// Moves one of the condition's input extents by as little as makes it hold: down first, as a smaller picture is easier
// to make.
bool mend(const Program& program, const ShapeCondition& condition, std::vector<int64_t>& slots) {
  const std::vector<int32_t> movable = slots_of(condition);
  for (int64_t distance = 1; distance <= kFarthest; ++distance) {
    for (const int32_t index : movable) {
      const engine::SlotInfo& slot = program.slots[static_cast<size_t>(index)];
      int64_t& value = slots[static_cast<size_t>(index)];
      const int64_t before = value;
      for (const int64_t tried : {before - distance, before + distance}) {
        if (tried < slot.range.min || tried > slot.range.max) continue;
        value = tried;
        if (holds(condition, slots.data())) return true;
      }
      value = before;
    }
  }
  return false;
}

}  // namespace

std::optional<std::vector<int64_t>> nearest_slots(const Program& program, std::vector<int64_t> slots) {
  std::vector<const ShapeCondition*> conditions;
  for (const ShapeCondition& condition : program.conditions)
    if (std::ranges::all_of(slots_of(condition),
                            [&](int32_t slot) { return program.slots[static_cast<size_t>(slot)].input >= 0; }))
      conditions.push_back(&condition);
  for (int round = 0; round < kRounds; ++round) {
    bool all = true;
    for (const ShapeCondition* condition : conditions) {
      if (holds(*condition, slots.data())) continue;
      all = false;
      if (!mend(program, *condition, slots)) return std::nullopt;
    }
    if (all) return slots;
  }
  return std::nullopt;
}

}  // namespace memline::runtime

#include "runtime/shape_source.h"

#include <algorithm>
#include <numeric>

#include "runtime/inputs.h"

namespace memline::runtime {
namespace {

constexpr int64_t kMostListed = 1 << 20;  // values of one extent

bool is_input(const engine::Program& program, int32_t slot) {
  return program.slots[static_cast<size_t>(slot)].input >= 0;
}

// The input extents that an expression depends on, through slots that are computed from others; nothing when it depends
// on what only a step finds out.
std::optional<std::vector<int32_t>> extents_of(const engine::Program& program,
                                               std::span<const std::pair<int32_t, DimExpr>> computed,
                                               std::vector<int32_t> open) {
  std::vector<int32_t> found;
  while (!open.empty()) {
    const int32_t slot = open.back();
    open.pop_back();
    if (is_input(program, slot)) {
      found.push_back(slot);
      continue;
    }
    const auto value = std::ranges::find(computed, slot, &std::pair<int32_t, DimExpr>::first);
    if (value == computed.end()) return std::nullopt;
    std::vector<int32_t> reads;
    value->second.collect_slots(reads);
    open.insert(open.end(), reads.begin(), reads.end());
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

Result<ShapeSource> ShapeSource::create(const engine::Program& program, uint64_t seed) {
  ShapeSource source(program, seed);
  for (const engine::SlotInfo& slot : program.slots) source.slots_.push_back(slot.opt);
  for (const engine::Step& step : program.blocks[0].steps) {
    if (step.kind != engine::StepKind::host_eval) break;
    source.computed_.insert(source.computed_.end(), step.assigns.begin(), step.assigns.end());
  }
  for (const engine::Port& input : program.inputs) source.dims_.emplace_back(input.type.dims.size());
  source.find_groups();
  for (Group& group : source.groups_) MEML_TRY_STATUS(source.list_values(group));
  return source;
}

// Extents that a condition ties together go into one group.
void ShapeSource::find_groups() {
  std::vector<int32_t> leader(program_->slots.size());
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](int32_t slot) {
    while (leader[static_cast<size_t>(slot)] != slot) slot = leader[static_cast<size_t>(slot)];
    return slot;
  };
  std::vector<std::pair<int32_t, int32_t>> conditions;  // condition, one of its extents
  for (size_t i = 0; i < program_->conditions.size(); ++i) {
    std::vector<int32_t> slots;
    program_->conditions[i].left.collect_slots(slots);
    program_->conditions[i].right.collect_slots(slots);
    const auto extents = extents_of(*program_, computed_, std::move(slots));
    if (!extents || extents->empty()) continue;
    conditions.emplace_back(static_cast<int32_t>(i), extents->front());
    for (const int32_t slot : *extents) leader[static_cast<size_t>(find(slot))] = find(extents->front());
  }
  for (size_t i = 0; i < program_->slots.size(); ++i) {
    const auto slot = static_cast<int32_t>(i);
    if (!is_input(*program_, slot) || find(slot) != slot) continue;
    Group& group = groups_.emplace_back();
    for (size_t other = 0; other < program_->slots.size(); ++other)
      if (is_input(*program_, static_cast<int32_t>(other)) && find(static_cast<int32_t>(other)) == slot)
        group.extents.push_back({static_cast<int32_t>(other), {}});
    for (const auto& [condition, extent] : conditions)
      if (find(extent) == slot) group.conditions.push_back(condition);
  }
}

// Conditions on one extent alone thin out its values, and need not be looked at again.
Status ShapeSource::list_values(Group& group) {
  for (Extent& extent : group.extents) {
    const engine::SlotInfo& info = program_->slots[static_cast<size_t>(extent.slot)];
    if (info.range.max - info.range.min >= kMostListed) continue;
    std::vector<int32_t> own, shared;
    for (const int32_t index : group.conditions) {
      std::vector<int32_t> slots;
      program_->conditions[static_cast<size_t>(index)].left.collect_slots(slots);
      program_->conditions[static_cast<size_t>(index)].right.collect_slots(slots);
      const auto extents = extents_of(*program_, computed_, std::move(slots));
      (extents == std::vector<int32_t>{extent.slot} ? own : shared).push_back(index);
    }
    if (own.empty()) continue;
    for (int64_t value = info.range.min; value <= info.range.max; ++value) {
      slots_[static_cast<size_t>(extent.slot)] = value;
      if (holds(own)) extent.values.push_back(value);
    }
    if (extent.values.empty())
      return fail(Code::invalid_argument, "no_such_shape", "no extent '{}' from {} to {} meets what {} demands",
                  info.name, info.range.min, info.range.max,
                  program_->conditions[static_cast<size_t>(own.front())].demanded_by);
    slots_[static_cast<size_t>(extent.slot)] = extent.values.front();
    group.conditions = std::move(shared);
  }
  return {};
}

Status ShapeSource::next() {
  for (const Group& group : groups_) {
    int draws = 0;
    do {
      if (++draws > kMostDraws)
        return fail(Code::invalid_argument, "no_such_shape", "{} draws gave no shape that meets what {} demands",
                    kMostDraws, program_->conditions[static_cast<size_t>(group.conditions.front())].demanded_by);
      for (const Extent& extent : group.extents) draw(extent);
    } while (!holds(group.conditions));
  }
  for (size_t i = 0; i < dims_.size(); ++i)
    for (size_t axis = 0; axis < dims_[i].size(); ++axis)
      dims_[i][axis] = program_->inputs[i].type.dims[axis].evaluate(slots_.data());
  return {};
}

void ShapeSource::draw(const Extent& extent) {
  const Interval& range = program_->slots[static_cast<size_t>(extent.slot)].range;
  int64_t& slot = slots_[static_cast<size_t>(extent.slot)];
  if (extent.values.empty())
    slot = range.min + static_cast<int64_t>(below(static_cast<uint64_t>(range.max - range.min) + 1));
  else
    slot = extent.values[below(extent.values.size())];
}

bool ShapeSource::holds(std::span<const int32_t> conditions) {
  if (conditions.empty()) return true;
  for (const auto& [slot, value] : computed_) slots_[static_cast<size_t>(slot)] = value.evaluate(slots_.data());
  return std::ranges::all_of(conditions, [&](int32_t index) {
    return runtime::holds(program_->conditions[static_cast<size_t>(index)], slots_.data());
  });
}

// splitmix64; numbers of an incomplete last round are thrown away, so that none is likelier than another. count >= 1.
uint64_t ShapeSource::below(uint64_t count) {
  const uint64_t whole_rounds = UINT64_MAX - UINT64_MAX % count;
  for (;;) {
    uint64_t x = state_ += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    x ^= x >> 31;
    if (x < whole_rounds) return x % count;
  }
}

}  // namespace memline::runtime

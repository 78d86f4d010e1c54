#include "runtime/place.h"

#include <algorithm>

#include "engine/operand.h"
#include "runtime/messages.h"

namespace memline::runtime {
namespace {

using engine::Operand;
using memory::Region;

struct Memory {
  const void* base = nullptr;
  int64_t bytes = 0;  // as the program planned them: mappings are rounded up to pages
};

Memory memory_of(const Prepared& prepared, const Operand& operand) noexcept {
  const engine::Program& program = *prepared.program;
  const auto index = static_cast<size_t>(operand.index);
  const auto address = [&](size_t state) {
    return reinterpret_cast<const void*>(static_cast<uintptr_t>(prepared.state[state]));
  };
  switch (operand.region) {
    case Region::arena:
      return {prepared.arena.bytes().data(), program.arena_bytes};
    case Region::weights:
      return {prepared.weights.data(), program.weights_bytes};
    case Region::staging:
      return {prepared.staging.bytes().data(), program.staging_bytes};
    case Region::input:
      return {address(prepared.input_state(index)), prepared.input_bytes[index]};
    case Region::output:
      return {address(prepared.output_state(index)), program.outputs[index].max_bytes};
  }
  return {};
}

bool place_operand(const Prepared& prepared, const Operand& operand, bool packed, TensorView& view) noexcept {
  const auto placed = engine::place(operand, prepared.state.data());
  if (!placed) return false;
  view = placed->view;
  if (packed) return true;
  const Memory memory = memory_of(prepared, operand);
  if (!placed->touched.inside(memory.bytes)) return false;
  view.data =
      reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(memory.base) + static_cast<uintptr_t>(placed->offset));
  return true;
}

// Takes as many extents off `max_extents` as the view has axes.
bool within(const TensorView& view, std::span<const int64_t>& max_extents) noexcept {
  for (size_t axis = 0; axis < view.rank; ++axis)
    if (view.dims[axis] > max_extents[axis]) return false;
  max_extents = max_extents.subspan(view.rank);
  return true;
}

bool place_operands(const Prepared& prepared, std::span<const Operand> operands, std::span<TensorView> views,
                    uint64_t packed, std::span<const int64_t>& max_extents) noexcept {
  for (size_t i = 0; i < operands.size(); ++i) {
    views[i] = {};
    if (!operands[i].present) continue;
    const bool is_packed = i < 64 && (packed >> i & 1) != 0;
    if (!place_operand(prepared, operands[i], is_packed, views[i])) return false;
    if (!max_extents.empty() && !within(views[i], max_extents)) return false;
  }
  return true;
}

// The rows of output 0 to compute: all, or the step's, cut to those that there are.
ops::RowRange rows_of(const Prepared& prepared, const PreparedStep& step) noexcept {
  if (step.out.empty() || step.row_axis >= step.out[0].rank) return {};
  const int64_t all = step.out[0].dim(step.row_axis);
  if (step.step->whole) return {0, all};
  const int64_t begin = std::clamp<int64_t>(step.step->row_begin.evaluate(prepared.state.data()), 0, all);
  return {begin, std::clamp<int64_t>(step.step->row_end.evaluate(prepared.state.data()), begin, all)};
}

}  // namespace

RunStatus place_step(const Prepared& prepared, PreparedStep& step) noexcept {
  step.placed = false;
  for (Dependency& dependency : step.depends) dependency.seen = prepared.state[static_cast<size_t>(dependency.index)];
  std::span<const int64_t> max_extents = step.max_extents;
  if (!place_operands(prepared, step.step->in, step.in, step.packed_inputs, max_extents) ||
      !place_operands(prepared, step.step->out, step.out, 0, max_extents))
    return RunStatus::error(Code::internal, kOperandRange);
  step.rows = rows_of(prepared, step);
  step.placed = true;
  return {};
}

RunStatus place_if_changed(const Prepared& prepared, PreparedStep& step) noexcept {
  bool same = step.placed;
  for (const Dependency& dependency : step.depends)
    same &= dependency.seen == prepared.state[static_cast<size_t>(dependency.index)];
  return same ? RunStatus() : place_step(prepared, step);
}

}  // namespace memline::runtime

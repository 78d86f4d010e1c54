#include "engine/verify.h"

#include <algorithm>

#include "base/size.h"
#include "engine/operand.h"
#include "memory/verify.h"

namespace memline::engine {
namespace {

using memory::Region;

constexpr int64_t kMostBytes = int64_t{1} << 47;  // an address space
constexpr size_t kMostBuffers = 1 << 14;          // memory::verify looks at all pairs
constexpr int kDeepestBlock = 32;
constexpr int kMostThreads = 4096;
constexpr int64_t kAlignment = 64;

template <typename... Args>
Failure corrupt(fmt::format_string<Args...> format, Args&&... args) {
  return vfail(Code::invalid_argument, "engine_corrupt", format, fmt::make_format_args(args...));
}

bool inside(int64_t offset, int64_t bytes, int64_t region_bytes) {
  return offset >= 0 && bytes >= 0 && offset <= region_bytes && bytes <= region_bytes - offset;
}

Status check_sizes(const Program& program) {
  for (const int64_t bytes : {program.arena_bytes, program.weights_bytes, program.staging_bytes})
    if (bytes < 0 || bytes > kMostBytes) return corrupt("a region of {} bytes", bytes);
  if (program.threads < 1 || program.threads > kMostThreads) return corrupt("made for {} threads", program.threads);
  if (program.buffers.size() != program.buffer_offsets.size() || program.buffers.size() > kMostBuffers)
    return corrupt("{} buffers have {} offsets", program.buffers.size(), program.buffer_offsets.size());
  if (const Status status = memory::verify(program.buffers, program.buffer_offsets, program.arena_bytes); !status)
    return corrupt("{}", status.error().message);
  return {};
}

Status check_port(const Program& program, const Port& port) {
  const size_t rank = port.type.dims.size();
  if (rank > kMaxRank || port.max_dims.size() != rank || port.min_dims.size() != rank || port.opt_dims.size() != rank)
    return corrupt("'{}' has {} axes and {} largest extents", port.name, rank, port.max_dims.size());
  int64_t bytes = size_of(port.type.dtype);
  for (size_t axis = 0; axis < rank; ++axis) {
    if (port.min_dims[axis] < 0 || port.max_dims[axis] < port.min_dims[axis])
      return corrupt("'{}' axis {}: the range {} to {}", port.name, axis, port.min_dims[axis], port.max_dims[axis]);
    bytes = saturating_mul(bytes, std::max<int64_t>(port.max_dims[axis], 1));
  }
  if (bytes > kMostBytes || port.max_bytes < 0 || port.max_bytes > kMostBytes)
    return corrupt("'{}' takes {} bytes", port.name, bytes);
  if (port.own_offset == -1) return {};
  if (port.own_offset % kAlignment != 0 || !inside(port.own_offset, port.max_bytes, program.arena_bytes))
    return corrupt("'{}' leaves the arena: {} bytes at {}", port.name, port.max_bytes, port.own_offset);
  return {};
}

Status check_slots(const Program& program) {
  for (const SlotInfo& slot : program.slots) {
    if (slot.range.min > slot.range.max) return corrupt("slot '{}' has an empty range", slot.name);
    if (slot.input == -1) continue;
    if (slot.input < 0 || static_cast<size_t>(slot.input) >= program.inputs.size())
      return corrupt("slot '{}' comes from input {}", slot.name, slot.input);
    if (slot.axis < 0 || slot.axis >= program.inputs[static_cast<size_t>(slot.input)].type.rank())
      return corrupt("slot '{}' comes from axis {}", slot.name, slot.axis);
    if (slot.range.min < 0) return corrupt("slot '{}' is an extent and may be negative", slot.name);
  }
  return {};
}

int64_t region_bytes(const Program& program, const Operand& operand) {
  const auto port_bytes = [&](const std::vector<Port>& ports) {
    const auto index = static_cast<size_t>(operand.index);
    return operand.index < 0 || index >= ports.size() ? -1 : ports[index].max_bytes;
  };
  switch (operand.region) {
    case Region::arena:
      return program.arena_bytes;
    case Region::weights:
      return program.weights_bytes;
    case Region::staging:
      return program.staging_bytes;
    case Region::input:
      return port_bytes(program.inputs);
    case Region::output:
      return port_bytes(program.outputs);
  }
  return -1;
}

Status check_operand(const Program& program, const Operand& operand) {
  if (!operand.present) return {};
  const size_t rank = operand.type.dims.size();
  if (rank > kMaxRank || operand.strides.size() != rank || operand.rows.axis >= static_cast<int>(rank))
    return corrupt("{} axes and {} strides", rank, operand.strides.size());
  const int64_t bytes = region_bytes(program, operand);
  if (bytes < 0) return corrupt("it lies in an input or output that does not exist");
  if (!is_constant(operand)) return {};
  const auto placed = place(operand, nullptr);
  if (!placed || !placed->touched.inside(bytes))
    return corrupt("it leaves its region of {} bytes (offset {})", bytes, operand.offset.text());
  return {};
}

Status check_slot_set_by(const Program& program, int32_t slot) {
  if (slot < 0 || static_cast<size_t>(slot) >= program.slots.size()) return corrupt("slot {} does not exist", slot);
  if (program.slots[static_cast<size_t>(slot)].input != -1) return corrupt("sets slot {}, an input's extent", slot);
  return {};
}

Status check_step_slots(const Program& program, const Step& step) {
  for (const CountOutput& count : step.counts) {
    if (count.output < 0 || static_cast<size_t>(count.output) >= step.out.size() || count.axis < 0 ||
        count.axis >= step.out[static_cast<size_t>(count.output)].type.rank())
      return corrupt("counts axis {} of output {}", count.axis, count.output);
    MEML_TRY_STATUS(check_slot_set_by(program, count.slot));
  }
  for (const auto& [slot, expression] : step.assigns) MEML_TRY_STATUS(check_slot_set_by(program, slot));
  if (step.iteration_slot != -1) MEML_TRY_STATUS(check_slot_set_by(program, step.iteration_slot));
  return {};
}

bool is_scalar(const Operand& operand, DType dtype) {
  return operand.present && operand.type.dtype == dtype &&
         std::ranges::all_of(operand.type.dims, [](const DimExpr& dim) { return dim == DimExpr(1); });
}

// branch and loop: as program.h says.
Status check_control(const Step& step) {
  if (step.kind == StepKind::branch) {
    if (step.in.size() != 1 || !is_scalar(step.in[0], DType::boolean)) return corrupt("needs one bool to branch on");
    if (step.blocks.size() != 2) return corrupt("branches into {} blocks", step.blocks.size());
    return {};
  }
  if (step.kind != StepKind::loop) return step.blocks.empty() ? Status() : corrupt("has blocks");
  if (step.in.size() != 2 || (step.in[0].present && !is_scalar(step.in[0], DType::i64)) ||
      (step.in[1].present && !is_scalar(step.in[1], DType::boolean)))
    return corrupt("needs a trip count (i64) and a condition (bool)");
  if (step.blocks.size() != 1 || step.iteration_slot < 0) return corrupt("loops without one body and a counter");
  return {};
}

Status check_step(const Program& program, const Step& step) {
  for (const auto* operands : {&step.in, &step.out})
    for (size_t i = 0; i < operands->size(); ++i)
      if (Status status = check_operand(program, (*operands)[i]); !status)
        return with_prefix(std::move(status).error(),
                           fmt::format("{} {}", operands == &step.in ? "input" : "output", i));
  for (const Operand& operand : step.out)
    if (operand.present && (operand.region == Region::weights || operand.region == Region::input))
      return corrupt("writes to weights or to an input");
  MEML_TRY_STATUS(check_step_slots(program, step));
  MEML_TRY_STATUS(check_control(step));
  if (step.workspace_offset % kAlignment != 0 ||
      !inside(step.workspace_offset, step.workspace_bytes, program.arena_bytes))
    return corrupt("its workspace leaves the arena: {} bytes at {}", step.workspace_bytes, step.workspace_offset);
  if (step.packed_offset % kAlignment != 0 || !inside(step.packed_offset, step.packed_bytes, program.weights_bytes))
    return corrupt("its packed weights leave the weights: {} bytes at {}", step.packed_bytes, step.packed_offset);
  return {};
}

// Every block but the first belongs to exactly one step of a block before it: a tree, so running it ends.
Status check_blocks(const Program& program) {
  if (program.blocks.empty()) return corrupt("no steps");
  std::vector<int> depth(program.blocks.size(), -1);
  depth[0] = 0;
  for (size_t at = 0; at < program.blocks.size(); ++at) {
    if (depth[at] < 0 || depth[at] > kDeepestBlock) return corrupt("block {} is not reached, or too deep", at);
    for (const Step& step : program.blocks[at].steps) {
      for (const int32_t block : step.blocks) {
        const auto index = static_cast<size_t>(block);
        if (block < 0 || index >= program.blocks.size() || index <= at || depth[index] >= 0)
          return corrupt("step '{}' runs block {}", step.name, block);
        depth[index] = depth[at] + 1;
      }
    }
  }
  return {};
}

}  // namespace

Status verify(const Program& program) {
  MEML_TRY_STATUS(check_sizes(program));
  for (const auto* ports : {&program.inputs, &program.outputs})
    for (const Port& port : *ports) MEML_TRY_STATUS(check_port(program, port));
  MEML_TRY_STATUS(check_slots(program));
  MEML_TRY_STATUS(check_blocks(program));
  for (const Block& block : program.blocks)
    for (const Step& step : block.steps)
      if (Status status = check_step(program, step); !status)
        return with_prefix(std::move(status).error(), fmt::format("step '{}'", step.name));
  return {};
}

}  // namespace memline::engine

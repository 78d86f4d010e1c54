// The field list of every table in a Program, in the order in which it is stored. The encoder and the decoder both walk
// these lists, so they cannot disagree; a change here is a new kFormatVersion (engine/layout.h).
#pragma once

#include <concepts>
#include <type_traits>

#include "engine/program.h"

namespace memline::engine {

// T or const T: the encoder walks constant tables, the decoder fills them.
template <typename Given, typename T>
concept Table = std::same_as<std::remove_const_t<Given>, T>;

void fields(auto& field, Table<TensorType> auto& type) {
  field(type.dtype);
  field(type.dims);
}

void fields(auto& field, Table<BandRows> auto& rows) {
  field(rows.axis);
  if (rows.axis < 0) return;
  field(rows.begin);
  field(rows.end);
}

void fields(auto& field, Table<Operand> auto& operand) {
  field(operand.present);
  if (!operand.present) return;
  field(operand.region);
  field(operand.index);
  field(operand.offset);
  field(operand.type);
  field(operand.strides);
  field(operand.max_bytes);
  field(operand.rows);
}

void fields(auto& field, Table<CountOutput> auto& count) {
  field(count.output);
  field(count.axis);
  field(count.slot);
}

void fields(auto& field, Table<std::pair<int32_t, DimExpr>> auto& assign) {
  field(assign.first);
  field(assign.second);
}

void fields(auto& field, Table<Step> auto& step) {
  field(step.kind);
  field(step.name);
  field(step.tactic);
  field(step.tactic_version);
  field(step.call);
  field(step.in);
  field(step.out);
  field(step.whole);
  field(step.row_begin);
  field(step.row_end);
  field(step.workspace_offset);
  field(step.workspace_bytes);
  field(step.packed_offset);
  field(step.packed_bytes);
  field(step.counts);
  field(step.assigns);
  field(step.blocks);
  field(step.iteration_slot);
  field(step.flops);
  field(step.chosen_ns);
  field(step.why);
}

void fields(auto& field, Table<Block> auto& block) { field(block.steps); }

void fields(auto& field, Table<Port> auto& port) {
  field(port.name);
  field(port.type);
  field(port.max_dims);
  field(port.min_dims);
  field(port.opt_dims);
  field(port.max_bytes);
  field(port.own_offset);
}

void fields(auto& field, Table<SlotInfo> auto& slot) {
  field(slot.name);
  field(slot.range.min);
  field(slot.range.max);
  field(slot.opt);
  field(slot.input);
  field(slot.axis);
}

void fields(auto& field, Table<ShapeCondition> auto& condition) {
  field(condition.left);
  field(condition.right);
  field(condition.demanded_by);
}

void fields(auto& field, Table<memory::Buffer> auto& buffer) {
  field(buffer.name);
  field(buffer.bytes);
  field(buffer.first_step);
  field(buffer.last_step);
  field(buffer.alignment);
  field(buffer.region);
}

void fields(auto& field, Table<memory::Bill> auto& bill) {
  field(bill.context);
  field(bill.weights);
  field(bill.activations);
  field(bill.workspace);
  field(bill.kernels);
  field(bill.staging);
  field(bill.io);
  field(bill.results);
  field(bill.video);
}

void fields(auto& field, Table<Program> auto& program) {
  field(program.slots);
  field(program.conditions);
  field(program.inputs);
  field(program.outputs);
  field(program.blocks);
  field(program.buffers);
  field(program.buffer_offsets);
  field(program.arena_bytes);
  field(program.weights_bytes);
  field(program.staging_bytes);
  field(program.threads);
  field(program.plain_arena_bytes);
  field(program.lower_bound_bytes);
  field(program.limit_bytes);
  field(program.peak_step);
  field(program.bill);
  field(program.about);
}

// The fewest bytes an element takes: how many a reader makes room for before it has seen them.
template <typename T>
inline constexpr size_t kLeastBytes = 1;
template <>
inline constexpr size_t kLeastBytes<Step> = 28;
template <>
inline constexpr size_t kLeastBytes<Port> = 8;
template <>
inline constexpr size_t kLeastBytes<SlotInfo> = 6;
template <>
inline constexpr size_t kLeastBytes<ShapeCondition> = 3;
template <>
inline constexpr size_t kLeastBytes<CountOutput> = 3;
template <>
inline constexpr size_t kLeastBytes<memory::Buffer> = 6;

}  // namespace memline::engine

// Hand-made programs for tests of engine/ and runtime/: operands are dense and row-major, kernels are fake.reference.
#pragma once

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "backend/op_call.h"
#include "base/size.h"
#include "engine/program.h"
#include "ops/registry.h"

namespace memline::testing {

using engine::Operand;

inline std::vector<DimExpr> dense_strides(const std::vector<DimExpr>& dims) {
  std::vector<DimExpr> strides(dims.size());
  DimExpr stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride = stride * dims[i];
  }
  return strides;
}

inline Operand operand(memory::Region region, DimExpr offset, TensorType type, int32_t index = 0) {
  Operand operand{.region = region, .index = index, .offset = std::move(offset), .type = std::move(type)};
  operand.strides = dense_strides(operand.type.dims);
  return operand;
}

class ProgramBuilder {
 public:
  ProgramBuilder() { program_.blocks.emplace_back(); }

  DimExpr slot(std::string name, Interval range, int32_t input = -1, int32_t axis = -1) {
    program_.slots.push_back({.name = std::move(name), .range = range, .opt = range.max, .input = input, .axis = axis});
    return DimExpr::slot(static_cast<int32_t>(program_.slots.size() - 1));
  }
  // Room in the arena for a value at its bound.
  int64_t reserve(const TensorType& type) {
    const int64_t bytes = align_up(max_bytes(type), 64);
    program_.arena_bytes += bytes;
    return program_.arena_bytes - bytes;
  }
  Operand arena(const TensorType& type) {
    const int64_t offset = reserve(type);
    program_.buffers.push_back({.name = "value", .bytes = max_bytes(type), .last_step = 1});
    program_.buffer_offsets.push_back(offset);
    return operand(memory::Region::arena, offset, type);
  }
  Operand weights(const TensorType& type) {
    const int64_t offset = program_.weights_bytes;
    program_.weights_bytes += align_up(max_bytes(type), 64);
    return operand(memory::Region::weights, offset, type);
  }
  Operand input(std::string name, const TensorType& type) {
    program_.inputs.push_back(port(std::move(name), type));
    return operand(memory::Region::input, 0, type, static_cast<int32_t>(program_.inputs.size() - 1));
  }
  Operand output(std::string name, const TensorType& type) {
    program_.outputs.push_back(port(std::move(name), type));
    return operand(memory::Region::output, 0, type, static_cast<int32_t>(program_.outputs.size() - 1));
  }

  engine::Step& kernel(std::string name, std::string_view op, std::vector<Operand> in, std::vector<Operand> out,
                       size_t block = 0) {
    OpCall call;
    call.op = ops::find(op);
    MEML_CHECK(call.op != nullptr);
    call.attrs = *call.op->parse_attrs("");
    call.base_inputs = in.size();
    for (const Operand& one : in) call.in.push_back(call_operand(one));
    for (const Operand& one : out) call.out.push_back(call_operand(one));
    engine::Step step{.name = std::move(name), .tactic = "fake.reference", .tactic_version = 3, .call = call.text()};
    step.in = std::move(in);
    step.out = std::move(out);
    step.workspace_bytes = 64 * program_.threads;
    step.workspace_offset = program_.arena_bytes;
    program_.arena_bytes += step.workspace_bytes;
    return add(std::move(step), block);
  }
  engine::Step& add(engine::Step step, size_t block = 0) {
    program_.blocks[block].steps.push_back(std::move(step));
    return program_.blocks[block].steps.back();
  }
  int32_t block() {
    program_.blocks.emplace_back();
    return static_cast<int32_t>(program_.blocks.size() - 1);
  }
  void condition(DimExpr left, DimExpr right, std::string by) {
    program_.conditions.push_back({std::move(left), std::move(right), std::move(by)});
  }
  engine::Program& program() { return program_; }
  engine::Program take() { return std::move(program_); }

 private:
  std::vector<int64_t> at(const TensorType& type, int64_t Interval::*end) const {
    std::vector<int64_t> slots, dims;
    for (const engine::SlotInfo& slot : program_.slots) slots.push_back(slot.range.*end);
    for (const DimExpr& dim : type.dims) dims.push_back(dim.evaluate(slots.data()));
    return dims;
  }
  int64_t max_bytes(const TensorType& type) const {
    int64_t bytes = size_of(type.dtype);
    for (const int64_t dim : at(type, &Interval::max)) bytes *= dim;
    return bytes;
  }
  engine::Port port(std::string name, const TensorType& type) {
    engine::Port port{.name = std::move(name), .type = type};
    port.max_dims = port.opt_dims = at(type, &Interval::max);
    port.min_dims = at(type, &Interval::min);
    port.max_bytes = max_bytes(type);
    port.own_offset = reserve(type);
    return port;
  }
  CallOperand call_operand(const Operand& operand) const {
    CallOperand call;
    call.present = operand.present;
    if (!call.present) return call;
    call.type = operand.type;
    call.max_dims = at(operand.type, &Interval::max);
    call.order = AxisOrder::row_major(operand.type.rank());
    call.is_constant = operand.region == memory::Region::weights;
    return call;
  }

  engine::Program program_;
};

// Everything a program can have: slots, a condition, a large constant, host_eval, branch, loop, a band, facts.
inline engine::Program sample_program() {
  ProgramBuilder b;
  const DimExpr n = b.slot("x.batch", {1, 4}, 0, 0);
  const DimExpr h = b.slot("x.height", {2, 8}, 0, 1);
  const DimExpr count = b.slot("count", {0, 32});
  const DimExpr round = b.slot("round", {0, 3});
  const TensorType rows{DType::f32, {n, h}}, one_bool{DType::boolean, {1}}, one_i64{DType::i64, {1}};
  const Operand x = b.input("x", rows);
  const Operand y = b.output("y", rows);
  const Operand flag = b.input("flag", one_bool);
  const Operand middle = b.arena(rows), bias = b.weights({DType::f32, {1}}), trips = b.weights(one_i64);
  b.kernel("add", "Add", {x, bias}, {middle});
  b.add({.kind = engine::StepKind::host_eval, .name = "sizes", .assigns = {{count.slot_index().value(), n * h}}});
  const int32_t yes = b.block(), no = b.block(), body = b.block();
  b.add({.kind = engine::StepKind::branch, .name = "if", .in = {flag}, .blocks = {yes, no}});
  b.kernel("then", "Identity", {middle}, {y}, static_cast<size_t>(yes));
  engine::Step& otherwise = b.kernel("else", "Neg", {middle}, {y}, static_cast<size_t>(no));
  otherwise.whole = false;
  otherwise.row_end = min(n, DimExpr(2));
  otherwise.out[0].rows = {.axis = 0, .begin = 0, .end = n};
  engine::Step loop{
      .kind = engine::StepKind::loop, .name = "loop", .in = {trips, {.present = false}}, .blocks = {body}};
  loop.iteration_slot = round.slot_index().value();
  b.add(std::move(loop));
  b.kernel("body", "Add", {y, bias}, {y}, static_cast<size_t>(body));
  b.condition(mod(h, 2), 0, "Reshape 'halves'");
  b.program().about = {{"model", "sample"}, {"precision", "fp32"}};
  b.program().blocks[0].steps[0].flops = int64_t{1} << 62;
  b.program().blocks[0].steps[0].chosen_ns = 1234.5;
  b.program().limit_bytes = std::numeric_limits<int64_t>::max();
  b.program().bill.weights = 4096;
  return b.take();
}

// `steps` kernels one after the other on 1x16x32x32 values, two operands in and one out: what a compiled network looks
// like.
inline engine::Program long_program(int steps) {
  ProgramBuilder b;
  const TensorType type{DType::f32, {1, 16, 32, 32}};
  Operand from = b.input("x", type);
  const Operand to = b.output("y", type);
  const Operand bias = b.weights({DType::f32, {16, 1, 1}});
  for (int i = 0; i + 1 < steps; ++i) {
    const Operand next = i < 2 ? b.arena(type) : b.program().blocks[0].steps[static_cast<size_t>(i) - 2].out[0];
    b.kernel("backbone.layer" + std::to_string(i) + ".add", "Add", {from, bias}, {next});
    from = next;
  }
  b.kernel("last", "Add", {from, bias}, {to});
  return b.take();
}

}  // namespace memline::testing

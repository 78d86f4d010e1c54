// Prepared: a program made ready to run: kernels made, memory taken, operands that never change resolved. All lists
// have their final size when create() returns; a run only overwrites elements.
//   * `state` holds what operands depend on: the slots, then the address of each input, then of each output. A step
//   whose operands
//     depend on some of it remembers the values it saw; it is placed again when one of them is another.
//   * Steps lie block after block: a step's number, in profiles and errors, is its place in `steps`.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/mapping.h"
#include "base/run_status.h"
#include "base/threads.h"
#include "engine/context.h"
#include "engine/engine.h"

namespace memline::runtime {

struct Dependency {
  int32_t index = 0;  // in Prepared::state
  int64_t seen = 0;   // its value when the step was placed
};

struct PreparedStep {
  const engine::Step* step = nullptr;
  std::unique_ptr<Kernel> kernel;  // kernel steps only
  std::span<TensorView> in, out;
  std::span<Dependency> depends;  // empty: placed once, at create
  std::span<const int64_t>
      max_extents;  // of all operands, in order, axis by axis, from the call: kernels are made for these
  std::span<std::byte> workspace;
  ops::RowRange rows;
  uint64_t packed_inputs = 0;  // bit i: input i lives in the packed bytes and has no data
  int32_t row_axis = 0;
  bool placed = false;
};
static_assert(sizeof(PreparedStep) <= engine::kPreparedStepBytes);
static_assert(sizeof(TensorView) + 8 <= engine::kPreparedOperandBytes);

struct LateCondition {
  int32_t step = 0;  // checked when this step has run
  int32_t condition = 0;
};

struct Prepared {
  const engine::Program* program = nullptr;
  std::span<const std::byte> weights;
  Pages arena, staging;
  std::optional<Team> team;

  std::vector<int64_t> state;
  std::vector<int64_t> input_bytes;  // of this run's inputs
  std::vector<int32_t> block_begin;  // the number of each block's first step, and one past the last
  std::vector<PreparedStep> steps;
  std::vector<TensorView> views;
  std::vector<Dependency> depends;
  std::vector<int64_t> max_extents;
  std::vector<std::vector<bool>> input_dim_is_early;  // [input][axis]: known from the inputs alone
  std::vector<int32_t> early_conditions;              // the same; checked before the first step
  std::vector<LateCondition> late_conditions;

  size_t input_state(size_t input) const { return program->slots.size() + input; }
  size_t output_state(size_t output) const { return program->slots.size() + program->inputs.size() + output; }
  std::byte* own(const engine::Port& port) const {
    return port.own_offset < 0 ? nullptr : arena.bytes().data() + port.own_offset;
  }
};

}  // namespace memline::runtime

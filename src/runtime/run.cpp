#include "runtime/run.h"

#include <chrono>

#include "base/denormals.h"
#include "runtime/inputs.h"
#include "runtime/messages.h"
#include "runtime/place.h"

namespace memline::runtime {
namespace {

using engine::StepKind;

class Runner {
 public:
  Runner(Prepared& prepared, Parallel& parallel, std::span<StepTime> profile)
      : prepared_(prepared), parallel_(parallel), profile_(profile) {}

  RunStatus run_block(int32_t block) noexcept {
    const auto begin = prepared_.block_begin[static_cast<size_t>(block)];
    const auto end = prepared_.block_begin[static_cast<size_t>(block) + 1];
    for (int32_t number = begin; number < end; ++number) {
      const RunStatus status = static_cast<size_t>(number) < profile_.size() ? run_timed(number) : run_step(number);
      if (!status.ok()) return status;
    }
    return {};
  }

 private:
  RunStatus run_timed(int32_t number) noexcept {
    const auto begin = std::chrono::steady_clock::now();
    const RunStatus status = run_step(number);
    const auto time = std::chrono::steady_clock::now() - begin;
    profile_[static_cast<size_t>(number)].nanoseconds += std::chrono::nanoseconds(time).count();
    return status;
  }

  RunStatus run_step(int32_t number) noexcept {
    PreparedStep& step = prepared_.steps[static_cast<size_t>(number)];
    RunStatus status = run_kind(step);
    if (status.ok()) status = check_late_conditions(number);
    if (!status.ok() && status.step < 0) status.step = number;
    return status;
  }

  RunStatus run_kind(PreparedStep& step) noexcept {
    switch (step.step->kind) {
      case StepKind::kernel:
        return run_kernel(step);
      case StepKind::host_eval:
        return run_host_eval(step);
      case StepKind::branch:
        return run_branch(step);
      case StepKind::loop:
        return run_loop(step);
    }
    return {};
  }

  RunStatus run_kernel(PreparedStep& step) noexcept {
    // A count is its bound until the step has run, also in the second round of a loop.
    for (const engine::CountOutput& count : step.step->counts)
      prepared_.state[static_cast<size_t>(count.slot)] = slot(count.slot).range.max;
    if (const RunStatus status = place_if_changed(prepared_, step); !status.ok()) return status;
    const RunStatus status = step.kernel->run({.in = step.in,
                                               .out = step.out,
                                               .rows = step.rows,
                                               .workspace = step.workspace,
                                               .slots = prepared_.state.data(),
                                               .parallel = &parallel_});
    if (!status.ok() || step.step->counts.empty()) return status;
    step.placed = false;  // the kernel has set true dims
    for (const engine::CountOutput& count : step.step->counts)
      if (!set_slot(count.slot, step.out[static_cast<size_t>(count.output)].dim(count.axis)))
        return RunStatus::error(Code::invalid_argument, kCountRange);
    return {};
  }

  RunStatus run_host_eval(PreparedStep& step) noexcept {
    for (const auto& [index, expression] : step.step->assigns)
      if (!set_slot(index, expression.evaluate(prepared_.state.data())))
        return RunStatus::error(Code::invalid_argument, kSlotRange);
    return {};
  }

  RunStatus run_branch(PreparedStep& step) noexcept {
    if (const RunStatus status = place_if_changed(prepared_, step); !status.ok()) return status;
    return run_block(step.step->blocks[*step.in[0].as<const uint8_t>() != 0 ? 0 : 1]);
  }

  RunStatus run_loop(PreparedStep& step) noexcept {
    const int32_t counter = step.step->iteration_slot;
    for (int64_t iteration = 0;; ++iteration) {
      if (const RunStatus status = place_if_changed(prepared_, step); !status.ok()) return status;
      if (step.step->in[0].present && iteration >= *step.in[0].as<const int64_t>()) return {};
      if (step.step->in[1].present && *step.in[1].as<const uint8_t>() == 0) return {};
      if (!set_slot(counter, iteration)) return RunStatus::error(Code::invalid_argument, kTripRange);
      if (const RunStatus status = run_block(step.step->blocks[0]); !status.ok()) return status;
    }
  }

  RunStatus check_late_conditions(int32_t number) const noexcept {
    for (const LateCondition& late : prepared_.late_conditions)
      if (late.step == number &&
          !holds(prepared_.program->conditions[static_cast<size_t>(late.condition)], prepared_.state.data()))
        return {.code = Code::invalid_argument, .message = kCondition, .index = late.condition};
    return {};
  }

  const engine::SlotInfo& slot(int32_t index) const noexcept {
    return prepared_.program->slots[static_cast<size_t>(index)];
  }
  bool set_slot(int32_t index, int64_t value) noexcept {
    if (value < slot(index).range.min || value > slot(index).range.max) return false;
    prepared_.state[static_cast<size_t>(index)] = value;
    return true;
  }

  Prepared& prepared_;
  Parallel& parallel_;
  std::span<StepTime> profile_;
};

}  // namespace

RunStatus run_program(Prepared& prepared, std::span<StepTime> profile) noexcept {
  const FlushDenormals flush;  // as the pool's threads do
  for (size_t i = 0; i < profile.size(); ++i) profile[i] = {.step = static_cast<int32_t>(i), .nanoseconds = 0};
  return Runner(prepared, *prepared.team, profile).run_block(0);
}

}  // namespace memline::runtime

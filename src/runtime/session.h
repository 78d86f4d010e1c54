// Session: runs an Engine. Takes everything it will ever hold when it is made (one arena, kernels, tables); a run
// allocates nothing and touches no new page. One call at a time; sessions of one engine share weights and the thread
// pool and may run at once.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/mapping.h"
#include "base/run_status.h"
#include "base/threads.h"
#include "engine/engine.h"

namespace memline::runtime {

struct SessionOptions {
  int threads = 0;  // 0: the engine's; more than the engine's is invalid_argument
  // Runs once on zeros at the opt shape before create() returns, so that the first run finds code and stacks in memory.
  // Costs one run. Needs an engine whose inputs and outputs have a place in the arena.
  bool warm_up = false;
};

// What a profiled run reports of one step.
struct StepTime {
  int32_t step = 0;
  int64_t nanoseconds = 0;
};

struct Prepared;  // the program with kernels made and memory taken: runtime/prepared.h

class Session {
 public:
  // Errors: engine_target when backend.target() cannot run the engine; invalid_argument; out_of_memory; engine_corrupt
  // for a program whose operands leave their regions or whose tactics or calls are unknown.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const engine::Engine> engine, const Backend& backend,
                                                 ThreadPool& pool, const SessionOptions& options);

  // The session's own input i with the given dims (within its range), dense row-major in the arena, valid until the
  // next run. nullptr data when dims are outside.
  TensorView own_input(size_t index, std::span<const int64_t> dims) noexcept;

  // Inputs: one view an input, dense row-major, dims within range; data may be own_input's or the caller's.
  // Outputs: where to put them. An output view whose data is nullptr gets the session's own (valid until the next run);
  // dims are set on return. A second caller at the same time gets invalid_argument at once. Bad inputs leave the
  // session usable. `profile`: element i gets the time of step i (blocks lie one after the other, the main one first;
  // steps of a loop add up); steps beyond its end are not timed. step_count() elements hold all.
  RunStatus run(std::span<const TensorView> inputs, std::span<TensorView> outputs,
                std::span<StepTime> profile = {}) noexcept;

  // A sentence for the last failed run: names the input, dimension, found and allowed, or the step. For a condition of
  // the model also the nearest shape that works. May allocate.
  std::string explain(const RunStatus& status) const;

  const engine::Engine& engine() const { return *engine_; }
  int64_t arena_bytes() const;
  int32_t step_count() const;
  const engine::Step& step(int32_t number) const;

  ~Session();

 private:
  Session(std::shared_ptr<const engine::Engine> engine, std::unique_ptr<Prepared> prepared);
  std::shared_ptr<const engine::Engine> engine_;
  std::unique_ptr<Prepared> prepared_;
  mutable std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

}  // namespace memline::runtime

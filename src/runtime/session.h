// Session: runs an Engine. Takes everything it will ever hold when it is made (one arena, kernels, tables); a run allocates nothing
// and touches no new page. One call at a time; sessions of one engine share weights and the thread pool and may run at once.
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
  // The session's own inputs and outputs lie in the arena, planned like any buffer; with the caller's they are passed to run().
};

// What a profiled run reports of one step.
struct StepTime {
  int32_t step = 0;
  int64_t nanoseconds = 0;
};

class Session {
 public:
  // Errors: engine_target when backend.target() cannot run the engine; invalid_argument; out_of_memory; engine_corrupt for a program
  // whose operands leave their regions or whose tactics or calls are unknown.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const engine::Engine> engine, const Backend& backend,
                                                 ThreadPool& pool, const SessionOptions& options);

  // The session's own input i with the given dims (within its range), dense row-major in the arena, valid until the next run.
  // nullptr data when dims are outside.
  TensorView own_input(size_t index, std::span<const int64_t> dims) noexcept;

  // Inputs: one view an input, dense row-major, dims within range; data may be own_input's or the caller's.
  // Outputs: where to put them. An output view whose data is nullptr gets the session's own (valid until the next run); dims are set on
  // return. A second caller at the same time gets invalid_argument at once. Bad inputs leave the session usable.
  RunStatus run(std::span<const TensorView> inputs, std::span<TensorView> outputs, std::span<StepTime> profile = {}) noexcept;

  // A sentence for a failed run: names the input, dimension, found and allowed.
  std::string explain(const RunStatus& status) const;

  const engine::Engine& engine() const { return *engine_; }
  int64_t arena_bytes() const;

  ~Session();

 private:
  struct Prepared;  // the program with kernels made and constant operands resolved
  Session(std::shared_ptr<const engine::Engine> engine, std::unique_ptr<Prepared> prepared);
  std::shared_ptr<const engine::Engine> engine_;
  std::unique_ptr<Prepared> prepared_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

}  // namespace memline::runtime

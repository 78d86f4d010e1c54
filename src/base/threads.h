// ThreadPool: the workers of a process, made once. Team: what one session may use of them, as a Parallel.
//   * A Team's run() hands out tasks by an atomic counter to the caller and to whatever workers are free at that
//     moment. It never waits for another session: when all workers are busy, the caller does everything itself.
//   * Workers spin for kSpin after their last work, then sleep on a futex; a run wakes only as many as it has tasks
//     for.
//   * run() allocates nothing, takes no lock and makes no system call unless a worker sleeps.
//   * Stacks are mapped by the pool and resident before the first run: kStackBytes each, with a guard page below.
#pragma once

#include <cstdint>
#include <memory>

#include "base/parallel.h"
#include "base/result.h"

namespace memline {

class ThreadPool {
 public:
  static constexpr int64_t kStackBytes = int64_t{128} << 10;
  static constexpr int kSpinMicroseconds = 50;
  static constexpr int kMaxWorkers = 255;

  // A pool of `workers` threads (>= 0; more than kMaxWorkers are not made). out_of_memory when the system refuses one.
  static Result<std::unique_ptr<ThreadPool>> create(int workers);
  // As many workers as this process may use CPUs, minus one for the caller (base/process.h).
  static Result<std::unique_ptr<ThreadPool>> create();
  ~ThreadPool();  // no run may be going on
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int workers() const noexcept;

 private:
  friend class Team;
  struct Worker;
  struct State;
  explicit ThreadPool(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// At most `width` participants of a pool: the caller and up to width - 1 workers. One run() at a time; teams of one
// pool may run at once, also from many threads. A task must not call run() of its own team.
class Team final : public Parallel {
 public:
  Team(ThreadPool& pool, int width) noexcept;
  int width() const noexcept override { return width_; }
  void run(int64_t count, Task task, void* context) noexcept override;

 private:
  ThreadPool* pool_;
  int width_;
};

}  // namespace memline

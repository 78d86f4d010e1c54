// How a run finds its workers:
//   * Each worker has one word, its slot: idle, asleep, running, quitting, or the address of a job it was given. A
//     caller gives a job by swapping it for idle or asleep; the worker takes it by swapping it for running.
//   * The job lives on the caller's stack. When the tasks have run out, the caller takes the job back from workers
//     that have not begun (a sleeper that was slow to wake costs nothing) and waits for those that have: it spins,
//     then sleeps on the job's word.
//   * A worker's last access to a job is the addition to Job::finished. A wake after it only names the address.
#include "base/threads.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/denormals.h"
#include "base/process.h"
#include "base/size.h"

namespace memline {
namespace {

// A sanitizer keeps its own state of a thread, almost 1 MiB, on the thread's stack.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int64_t kStack = ThreadPool::kStackBytes + (int64_t{2} << 20);
#else
constexpr int64_t kStack = ThreadPool::kStackBytes;
#endif
constexpr int64_t kGuardBytes = 4096;
constexpr int kPausesBetweenClockReads = 32;

void wait_on(const std::atomic<uint32_t>& word, uint32_t value) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void wake_one(const std::atomic<uint32_t>* word) noexcept {
  ::syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// Spins until `done` or the pool's spin time is over; whether it is done.
template <typename Done>
bool spin_until(Done&& done) noexcept {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::microseconds(ThreadPool::kSpinMicroseconds);
  do {
    for (int i = 0; i < kPausesBetweenClockReads; ++i) {
      if (done()) return true;
      __builtin_ia32_pause();
    }
  } while (std::chrono::steady_clock::now() < limit);
  return false;
}

// Each participant begins with a share of its own, consecutive tasks, and then takes what is left of the others': so
// the same part of a picture stays with the same core from step to step, as far as it can.
struct Job {
  static constexpr int kMostShares = 64;
  struct alignas(64) Share {
    std::atomic<int64_t> next;
    int64_t end;
  };

  Parallel::Task task;
  void* context;
  int shares_used;
  Share shares[kMostShares];
  alignas(64) std::atomic<int32_t> participants{1};  // the caller is 0
  std::atomic<uint32_t> finished{0};                 // workers that are done with this job; kCallerSleeps may be set

  Job(Parallel::Task task, void* context, int64_t count, int64_t participants) noexcept
      : task(task), context(context), shares_used(static_cast<int>(std::min<int64_t>(participants, kMostShares))) {
    for (int i = 0; i < shares_used; ++i) {
      shares[i].next.store(count * i / shares_used, std::memory_order_relaxed);
      shares[i].end = count * (i + 1) / shares_used;
    }
  }

  void work(int participant) noexcept {
    for (int i = 0; i < shares_used; ++i) {
      Share& share = shares[(participant + i) % shares_used];
      for (int64_t t; (t = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;)
        task(context, t, participant);
    }
  }
};
constexpr uint32_t kCallerSleeps = 1u << 31;

// Values of a slot that are no address.
constexpr uintptr_t kIdle = 0, kAsleep = 1, kRunning = 2, kQuit = 3;

}  // namespace

struct alignas(64) ThreadPool::Worker {
  std::atomic<uintptr_t> slot{kIdle};
  std::atomic<uint32_t> wakes{0};
  pthread_t thread{};
  void* stack = nullptr;

  bool give(uintptr_t job, uintptr_t when) noexcept;
  bool take_back(uintptr_t job) noexcept { return slot.compare_exchange_strong(job, kIdle, std::memory_order_acq_rel); }
  void wake() noexcept {
    wakes.fetch_add(1, std::memory_order_release);
    wake_one(&wakes);
  }
  uintptr_t next_job() noexcept;
  void loop() noexcept;
  Status start() noexcept;
  void stop() noexcept;
};

struct ThreadPool::State {
  std::vector<Worker> workers;
  explicit State(int count) : workers(static_cast<size_t>(count)) {}
};

// `when` is kIdle or kAsleep: the state a worker must be in to get the job.
bool ThreadPool::Worker::give(uintptr_t job, uintptr_t when) noexcept {
  if (slot.load(std::memory_order_relaxed) != when) return false;
  uintptr_t expected = when;
  if (!slot.compare_exchange_strong(expected, job, std::memory_order_acq_rel)) return false;
  if (when == kAsleep) wake();
  return true;
}

// Waits for a job (or kQuit): first awake, then asleep.
uintptr_t ThreadPool::Worker::next_job() noexcept {
  while (true) {
    uintptr_t seen = kIdle;
    const auto given = [&] {
      seen = slot.load(std::memory_order_acquire);
      return seen != kIdle && seen != kAsleep;
    };
    if (spin_until(given)) return seen;
    uintptr_t expected = kIdle;
    if (!slot.compare_exchange_strong(expected, kAsleep, std::memory_order_acq_rel)) continue;
    for (uint32_t wake = wakes.load(std::memory_order_acquire); slot.load(std::memory_order_acquire) == kAsleep;
         wake = wakes.load(std::memory_order_acquire))
      wait_on(wakes, wake);
  }
}

void ThreadPool::Worker::loop() noexcept {
  const FlushDenormals flush;
  while (true) {
    uintptr_t given = next_job();
    if (given == kQuit) return;
    if (!slot.compare_exchange_strong(given, kRunning, std::memory_order_acq_rel)) continue;  // it was taken back
    Job* job = reinterpret_cast<Job*>(given);
    job->work(job->participants.fetch_add(1, std::memory_order_relaxed));
    slot.store(kIdle, std::memory_order_release);
    std::atomic<uint32_t>* finished = &job->finished;
    if (finished->fetch_add(1, std::memory_order_acq_rel) & kCallerSleeps) wake_one(finished);
  }
}

Status ThreadPool::Worker::start() noexcept {
  stack = ::mmap(nullptr, kGuardBytes + kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) {
    stack = nullptr;
    return out_of_memory("the system refused {} of memory for the stack of a thread", format_size(kStack));
  }
  char* const bottom = static_cast<char*>(stack) + kGuardBytes;
  ::mprotect(stack, kGuardBytes, PROT_NONE);
  std::memset(bottom, 0, kStack);  // resident before the first run

  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstack(&attributes, bottom, kStack);
  sigset_t all, before;  // signals go to the application's threads
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto entry = [](void* self) -> void* {
    static_cast<Worker*>(self)->loop();
    return nullptr;
  };
  const int error = ::pthread_create(&thread, &attributes, entry, this);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  if (error != 0) {
    ::munmap(stack, kGuardBytes + kStack);
    stack = nullptr;
    return out_of_memory("the system refused a thread: {}", std::strerror(error));
  }
  ::pthread_setname_np(thread, "memline");
  return {};
}

void ThreadPool::Worker::stop() noexcept {
  if (stack == nullptr) return;
  const uintptr_t before = slot.exchange(kQuit, std::memory_order_acq_rel);
  MEML_CHECK(before == kIdle || before == kAsleep);
  wake();
  ::pthread_join(thread, nullptr);
  ::munmap(stack, kGuardBytes + kStack);
}

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(int workers) {
  MEML_CHECK(workers >= 0);
  std::unique_ptr<ThreadPool> pool(new ThreadPool(std::make_unique<State>(std::min(workers, kMaxWorkers))));
  for (Worker& worker : pool->state_->workers) MEML_TRY_STATUS(worker.start());
  return pool;
}

Result<std::unique_ptr<ThreadPool>> ThreadPool::create() { return create(cpu_count() - 1); }

ThreadPool::ThreadPool(std::unique_ptr<State> state) : state_(std::move(state)) {}

ThreadPool::~ThreadPool() {
  for (Worker& worker : state_->workers) worker.stop();
}

int ThreadPool::workers() const noexcept { return static_cast<int>(state_->workers.size()); }

Team::Team(ThreadPool& pool, int width) noexcept : pool_(&pool), width_(std::clamp(width, 1, pool.workers() + 1)) {}

void Team::run(int64_t count, Task task, void* context) noexcept {
  if (width_ == 1 || count <= 1) {
    for (int64_t i = 0; i < count; ++i) task(context, i, 0);
    return;
  }
  const int64_t wanted = std::min<int64_t>(width_ - 1, count - 1);
  Job job(task, context, count, wanted + 1);
  const auto address = reinterpret_cast<uintptr_t>(&job);
  ThreadPool::Worker* given[ThreadPool::kMaxWorkers];
  int helpers = 0;
  for (const uintptr_t when : {kIdle, kAsleep})
    for (ThreadPool::Worker& worker : pool_->state_->workers)
      if (helpers < wanted && worker.give(address, when)) given[helpers++] = &worker;
  job.work(0);

  uint32_t begun = 0;
  for (int i = 0; i < helpers; ++i)
    if (!given[i]->take_back(address)) ++begun;
  if (spin_until([&] { return job.finished.load(std::memory_order_acquire) == begun; })) return;
  uint32_t finished = job.finished.fetch_or(kCallerSleeps, std::memory_order_acq_rel) | kCallerSleeps;
  while (finished != (begun | kCallerSleeps)) {
    wait_on(job.finished, finished);
    finished = job.finished.load(std::memory_order_acquire);
  }
}

}  // namespace memline

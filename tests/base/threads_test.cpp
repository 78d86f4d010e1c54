#include "base/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

namespace memline {
namespace {

std::unique_ptr<ThreadPool> pool_of(int workers) { return ThreadPool::create(workers).value(); }

int threads_of_process() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

TEST(Threads, EveryTaskRunsExactlyOnceByAParticipantBelowTheWidth) {
  const auto pool = pool_of(3);
  Team team(*pool, 4);
  for (const int64_t count : {0, 1, 2, 3, 64, 1000}) {
    std::vector<std::atomic<int>> runs(static_cast<size_t>(count));
    std::atomic<bool> good{true};
    team.for_each(count, [&](int64_t task, int participant) {
      ++runs[static_cast<size_t>(task)];
      if (participant < 0 || participant >= team.width()) good = false;
    });
    EXPECT_TRUE(good);
    for (const auto& times : runs) EXPECT_EQ(times, 1) << count;
  }
}

TEST(Threads, NoTwoThreadsAreTheSameParticipantOfARun) {
  const auto pool = pool_of(3);
  Team team(*pool, 4);
  std::atomic<bool> clash{false};
  for (int run = 0; run < 500; ++run) {
    std::atomic<int> inside[4] = {};
    team.for_each(32, [&](int64_t, int participant) {
      if (inside[participant].fetch_add(1) != 0) clash = true;
      inside[participant].fetch_sub(1);
    });
  }
  EXPECT_FALSE(clash);
}

TEST(Threads, WorkersHelpWhenThereIsEnoughToDo) {
  const auto pool = pool_of(1);
  Team team(*pool, 2);
  std::atomic<int> by_worker{0};
  for (int run = 0; run < 100 && by_worker == 0; ++run)
    team.for_each(8, [&](int64_t, int participant) {
      if (participant == 1) ++by_worker;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  EXPECT_GT(by_worker, 0);
}

TEST(Threads, TeamIsNeverWiderThanItsPoolAndNeverEmpty) {
  const auto pool = pool_of(1), none = pool_of(0);
  EXPECT_EQ(Team(*pool, 64).width(), 2);
  EXPECT_EQ(Team(*pool, 0).width(), 1);
  Team alone(*none, 4);
  int64_t sum = 0;
  alone.for_each(10, [&](int64_t task, int) { sum += task; });
  EXPECT_EQ(sum, 45);
}

TEST(Threads, RunDoesNotWaitForAnotherSessionThatHoldsTheWorkers) {
  const auto pool = pool_of(1);
  std::atomic<bool> release{false}, held{false};
  std::thread other([&] {
    Team team(*pool, 2);
    while (!held)  // until the worker has one of the two tasks
      team.for_each(2, [&](int64_t, int participant) {
        if (participant == 0) {
          const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
          while (!held && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
          return;
        }
        held = true;
        while (!release) std::this_thread::yield();
      });
  });
  while (!held) std::this_thread::yield();
  Team mine(*pool, 2);
  int64_t done = 0;
  mine.for_each(100, [&](int64_t, int participant) { done += participant == 0 ? 1 : 1000; });
  EXPECT_EQ(done, 100);
  release = true;
  other.join();
}

TEST(Threads, PoolMakesItsThreadsOnceAndGivesThemBack) {
  const int before = threads_of_process();
  {
    const auto pool = pool_of(3);
    EXPECT_EQ(pool->workers(), 3);
    EXPECT_EQ(threads_of_process(), before + 3);
    Team team(*pool, 4);
    for (int run = 0; run < 100; ++run) team.for_each(16, [](int64_t, int) {});
    EXPECT_EQ(threads_of_process(), before + 3);
  }
  EXPECT_EQ(threads_of_process(), before);
}

TEST(Threads, ManyTinyRunsOfFourCallersAllEnd) {
  const auto pool = pool_of(2);
  constexpr int kRuns = 25000, kTasks = 3;
  std::atomic<int64_t> total{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      Team team(*pool, 3);
      int64_t mine = 0;
      for (int run = 0; run < kRuns; ++run) {
        int64_t sums[3] = {};
        team.for_each(kTasks, [&](int64_t task, int participant) { sums[participant] += task + 1; });
        mine += sums[0] + sums[1] + sums[2];
      }
      total += mine;
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, int64_t{4} * kRuns * (kTasks * (kTasks + 1) / 2));
}

TEST(Threads, SleepingWorkersWakeForTheNextRun) {
  const auto pool = pool_of(1);
  Team team(*pool, 2);
  std::atomic<int> by_worker{0};
  for (int run = 0; run < 20; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // longer than a worker spins
    team.for_each(4, [&](int64_t, int participant) {
      by_worker += participant;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  }
  EXPECT_GT(by_worker, 0);
}

}  // namespace
}  // namespace memline

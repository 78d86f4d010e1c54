#include "memory/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <random>

#include "memory/verify.h"

namespace memline::memory {
namespace {

Buffer buffer(int64_t bytes, int32_t first, int32_t last, int64_t alignment = 64) {
  return {.name = "b", .bytes = bytes, .first_step = first, .last_step = last, .alignment = alignment};
}

std::vector<Buffer> random_buffers(std::mt19937_64& random, int count, int steps, int longest, int64_t alignment) {
  const auto number = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  std::vector<Buffer> buffers;
  for (int i = 0; i < count; ++i) {
    const auto first = static_cast<int32_t>(number(0, steps - 1));
    const auto last = static_cast<int32_t>(std::min<int64_t>(first + number(0, longest), steps - 1));
    buffers.push_back(buffer(number(1, 12) * 100, first, last, alignment));
  }
  return buffers;
}

// The smallest arena: every order, each buffer as low as it can. Some order gives the optimum, since any plan can be
// pushed down in the order of its offsets.
int64_t best_by_exhaustion(const std::vector<Buffer>& buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  int64_t best = std::numeric_limits<int64_t>::max();
  do {
    std::vector<int64_t> offsets(buffers.size(), -1);
    int64_t arena = 0;
    for (const size_t i : order) {
      std::vector<int64_t> candidates = {0};
      for (size_t j = 0; j < buffers.size(); ++j)
        if (offsets[j] >= 0)
          candidates.push_back((offsets[j] + buffers[j].bytes + buffers[i].alignment - 1) / buffers[i].alignment *
                               buffers[i].alignment);
      std::sort(candidates.begin(), candidates.end());
      for (const int64_t at : candidates) {
        bool fits = true;
        for (size_t j = 0; j < buffers.size() && fits; ++j) {
          const bool together =
              buffers[i].first_step <= buffers[j].last_step && buffers[j].first_step <= buffers[i].last_step;
          fits =
              offsets[j] < 0 || !together || at + buffers[i].bytes <= offsets[j] || offsets[j] + buffers[j].bytes <= at;
        }
        if (!fits) continue;
        offsets[i] = at;
        arena = std::max(arena, at + buffers[i].bytes);
        break;
      }
    }
    best = std::min(best, arena);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(Plan, OfNothingIsEmpty) {
  const Plan empty = plan({});
  EXPECT_TRUE(empty.offsets.empty());
  EXPECT_EQ(empty.arena_bytes, 0);
  const std::vector<Buffer> nothing = {buffer(0, 3, 4), buffer(0, 3, 3)};
  const Plan zero = plan(nothing);
  EXPECT_EQ(zero.arena_bytes, 0);
  EXPECT_EQ(zero.offsets, (std::vector<int64_t>{0, 0}));
}

TEST(Plan, BuffersThatDoNotMeetShareTheirBytes) {
  const std::vector<Buffer> chain = {buffer(1000, 0, 1), buffer(2000, 1, 2), buffer(1000, 2, 3)};
  const Plan p = plan(chain);
  EXPECT_EQ(p.lower_bound_bytes, 3000);
  EXPECT_EQ(p.arena_bytes, 3024) << "1000 bytes up to the next multiple of 64, and 2000";
  EXPECT_EQ(p.no_reuse_bytes, 4000);
  EXPECT_EQ(p.peak_step, 1);
}

TEST(Plan, ABufferAliveAtOneStepWithAnotherNeverSharesEvenWhenOneEndsWhereTheOtherBegins) {
  const std::vector<Buffer> buffers = {buffer(64, 0, 5), buffer(64, 5, 9)};
  EXPECT_EQ(plan(buffers).arena_bytes, 128);
}

TEST(Plan, KeepsEveryAlignment) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Buffer> buffers = random_buffers(random, 30, 20, 6, 64);
    for (size_t i = 0; i < buffers.size(); ++i) buffers[i].alignment = int64_t{1} << (i % 13);
    const Plan p = plan(buffers, 2000);
    for (size_t i = 0; i < buffers.size(); ++i) EXPECT_EQ(p.offsets[i] % buffers[i].alignment, 0);
    EXPECT_TRUE(verify(buffers, p.offsets, p.arena_bytes));
  }
}

TEST(Plan, FindsTheOptimumOfSmallProblems) {
  std::mt19937_64 random(7);
  int optimal = 0;
  constexpr int kTrials = 300;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::vector<Buffer> buffers = random_buffers(random, 6, 6, 3, trial % 2 == 0 ? 1 : 64);
    const int64_t best = best_by_exhaustion(buffers);
    const Plan p = plan(buffers, 20000);
    ASSERT_GE(p.arena_bytes, best) << "trial " << trial << ": below the optimum, so the plan or the oracle is wrong";
    ASSERT_GE(best, p.lower_bound_bytes) << "trial " << trial;
    if (p.arena_bytes == best) ++optimal;
  }
  EXPECT_EQ(optimal, kTrials);
}

TEST(Plan, LowerBoundAndPeakStepAreThoseOfACountStepByStep) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<Buffer> buffers = random_buffers(random, 40, 30, 8, 64);
    int64_t most = 0;
    int32_t peak = 0;
    for (int32_t step = 0; step < 30; ++step) {
      int64_t live = 0;
      for (const Buffer& b : buffers)
        if (b.alive_at(step)) live += b.bytes;
      if (live > most) most = live, peak = step;
    }
    const Plan p = plan(buffers, 0);
    EXPECT_EQ(p.lower_bound_bytes, most);
    EXPECT_EQ(p.peak_step, peak);
  }
}

TEST(Plan, IsTheSameEveryTime) {
  std::mt19937_64 random(5);
  const std::vector<Buffer> buffers = random_buffers(random, 200, 60, 20, 64);
  EXPECT_EQ(plan(buffers).offsets, plan(buffers).offsets);
}

TEST(Plan, SearchReachesTheLowerBoundWhereTheGreedyOrdersDoNot) {
  // A chain in which every fourth value is kept for up to thirty steps more, as skip connections are.
  int greedy_missed = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Buffer> buffers;
    for (int32_t i = 0; i < 80; ++i) {
      const auto bytes = static_cast<int64_t>(4096 * (1 + random() % 16));
      const auto longer = static_cast<int32_t>(random() % 4 == 0 ? random() % 30 : 0);
      buffers.push_back(buffer(bytes, i, i + 1 + longer));
    }
    const Plan greedy = plan(buffers, 0), searched = plan(buffers);
    EXPECT_EQ(searched.arena_bytes, searched.lower_bound_bytes) << "seed " << seed;
    if (greedy.arena_bytes > greedy.lower_bound_bytes) ++greedy_missed;
  }
  EXPECT_GT(greedy_missed, 0) << "the greedy orders would do: the test shows nothing";
}

TEST(Plan, OfThreeThousandBuffersIsTightAndQuick) {
  std::mt19937_64 random(11);
  std::vector<Buffer> buffers;
  for (int32_t i = 0; i < 3000; ++i) {
    const auto life = static_cast<int32_t>(random() % 20 == 0 ? random() % 200 : random() % 4);
    const uint64_t largest = uint64_t{1} << (random() % 14);
    buffers.push_back(buffer(static_cast<int64_t>(64 * (1 + random() % largest)), i, i + life));
  }
  const auto start = std::chrono::steady_clock::now();
  const Plan p = plan(buffers);
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LE(static_cast<double>(p.arena_bytes), 1.05 * static_cast<double>(p.lower_bound_bytes));
  EXPECT_LT(seconds, 5) << "a loaded machine may take ten times as long as a quiet one, but not this";
}

TEST(Plan, OfSizesThatOverflowSaysSoInsteadOfWrapping) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const int64_t bytes : {kMost, kMost - 100, kMost / 2}) {
    const std::vector<Buffer> buffers = {buffer(bytes, 0, 1), buffer(bytes, 0, 1), buffer(64, 1, 2)};
    const Plan p = plan(buffers);
    EXPECT_EQ(p.arena_bytes, kMost);
    EXPECT_EQ(p.lower_bound_bytes, kMost);
    EXPECT_GE(p.no_reuse_bytes, kMost - 1);
  }
}

TEST(Plan, LastStepMayBeTheLargestNumber) {
  const std::vector<Buffer> buffers = {buffer(64, 0, std::numeric_limits<int32_t>::max()), buffer(64, 5, 6)};
  EXPECT_EQ(plan(buffers).arena_bytes, 128);
}

}  // namespace
}  // namespace memline::memory

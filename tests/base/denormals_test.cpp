// Denormals are zero inside the scope, on every thread of the pool, and nowhere else.
#include "base/denormals.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "base/threads.h"

namespace memline {
namespace {

float half_of_smallest_normal() {
  volatile float x = std::numeric_limits<float>::min();
  return x * 0.5f;
}

TEST(FlushDenormals, LastsAsLongAsItsScope) {
  EXPECT_GT(half_of_smallest_normal(), 0);
  {
    const FlushDenormals flush;
    EXPECT_EQ(half_of_smallest_normal(), 0);
    volatile float denormal = std::numeric_limits<float>::denorm_min();
    EXPECT_EQ(denormal * 1e30f, 0);
  }
  EXPECT_GT(half_of_smallest_normal(), 0);
}

TEST(FlushDenormals, HoldsOnThePoolsThreads) {
  const auto pool = *ThreadPool::create(1);
  Team team(*pool, 2);
  std::array<float, 64> results{};
  std::array<int, 64> by{};
  team.for_each(64, [&](int64_t task, int participant) {
    results[static_cast<size_t>(task)] = half_of_smallest_normal();
    by[static_cast<size_t>(task)] = participant;
  });
  for (size_t i = 0; i < 64; ++i)
    if (by[i] != 0) {
      EXPECT_EQ(results[i], 0) << i;
    }
}

}  // namespace
}  // namespace memline

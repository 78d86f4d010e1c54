#include "memory/verify.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "memory/plan.h"

namespace memline::memory {
namespace {

Buffer buffer(std::string name, int64_t bytes, int32_t first, int32_t last) {
  return {.name = std::move(name), .bytes = bytes, .first_step = first, .last_step = last};
}

std::string message(std::vector<Buffer> buffers, std::vector<int64_t> offsets, int64_t arena = 1 << 20) {
  const Status status = verify(buffers, offsets, arena);
  return status ? "" : status.error().message;
}

TEST(Verify, AcceptsBuffersApartInTimeOrInSpace) {
  EXPECT_EQ(message({buffer("a", 100, 0, 1), buffer("b", 100, 2, 3)}, {0, 0}), "");
  EXPECT_EQ(message({buffer("a", 128, 0, 3), buffer("b", 100, 2, 3)}, {0, 128}), "");
  EXPECT_EQ(message({}, {}, 0), "");
}

TEST(Verify, NamesTheTwoThatOverlap) {
  const std::string text = message({buffer("first", 100, 0, 2), buffer("second", 100, 2, 3)}, {0, 64});
  EXPECT_NE(text.find("'first'"), std::string::npos) << text;
  EXPECT_NE(text.find("'second'"), std::string::npos) << text;
  EXPECT_NE(message({buffer("a", 100, 0, 2), buffer("b", 10, 1, 1)}, {0, 64}), "");
  EXPECT_NE(message({buffer("a", 10, 0, 2), buffer("b", 10, 1, 1)}, {0, 0}), "") << "the same place";
}

TEST(Verify, BuffersWithoutBytesOverlapNothing) {
  EXPECT_EQ(message({buffer("a", 100, 0, 2), buffer("none", 0, 1, 1)}, {0, 64}), "");
}

TEST(Verify, RefusesOffsetsOutsideTheArenaOrUnaligned) {
  EXPECT_NE(message({buffer("a", 100, 0, 1)}, {-64}), "");
  EXPECT_NE(message({buffer("a", 100, 0, 1)}, {32}), "");
  EXPECT_NE(message({buffer("a", 100, 0, 1)}, {64}, 163), "");
  EXPECT_EQ(message({buffer("a", 100, 0, 1)}, {64}, 164), "");
  EXPECT_NE(message({buffer("a", 100, 0, 1)}, {std::numeric_limits<int64_t>::max() - 63}), "");
  EXPECT_NE(message({buffer("a", 100, 0, 1)}, {}), "");
}

TEST(Verify, RefusesBuffersThatMakeNoSense) {
  EXPECT_NE(message({buffer("a", -1, 0, 1)}, {0}), "");
  EXPECT_NE(message({buffer("a", 1, 2, 1)}, {0}), "");
  EXPECT_NE(message({buffer("a", 1, -1, 1)}, {0}), "");
  for (const int64_t alignment : {int64_t{0}, int64_t{-64}, int64_t{48}, std::numeric_limits<int64_t>::min()}) {
    Buffer odd = buffer("a", 1, 0, 1);
    odd.alignment = alignment;
    EXPECT_NE(message({odd}, {0}), "") << alignment;
  }
}

// Moves one buffer of a good plan and asks a plain O(n^2) check whether it is still good.
TEST(Verify, AgreesWithAPlainCheckOfAllPairs) {
  std::mt19937_64 random(2);
  int bad = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 25; ++i) {
      const auto first = static_cast<int32_t>(random() % 20);
      buffers.push_back(buffer("b" + std::to_string(i), static_cast<int64_t>(random() % 500), first,
                               first + static_cast<int32_t>(random() % 5)));
    }
    Plan p = plan(buffers, 0);
    p.offsets[random() % 25] = static_cast<int64_t>(random() % 20) * 64;
    bool good = true;
    for (size_t i = 0; i < buffers.size(); ++i) {
      const Buffer& a = buffers[i];
      good = good && p.offsets[i] + a.bytes <= p.arena_bytes;
      for (size_t j = 0; j < i; ++j) {
        const Buffer& b = buffers[j];
        const bool in_time = a.first_step <= b.last_step && b.first_step <= a.last_step;
        const bool in_space = p.offsets[i] < p.offsets[j] + b.bytes && p.offsets[j] < p.offsets[i] + a.bytes;
        if (in_time && in_space && a.bytes > 0 && b.bytes > 0) good = false;
      }
    }
    ASSERT_EQ(verify(buffers, p.offsets, p.arena_bytes).has_value(), good) << "trial " << trial;
    if (!good) ++bad;
  }
  EXPECT_GT(bad, 100);
  EXPECT_LT(bad, 490);
}

}  // namespace
}  // namespace memline::memory

#include "memory/bill.h"

#include <gtest/gtest.h>

#include <limits>

namespace memline::memory {
namespace {

TEST(Bill, EntriesAddUpToTheTotalUnderTheNamesOfTheContract) {
  Bill bill;
  int64_t next = 1;
  for (int64_t* entry : {&bill.context, &bill.weights, &bill.activations, &bill.workspace, &bill.kernels, &bill.staging,
                         &bill.io, &bill.results, &bill.video})
    *entry = next, next *= 2;
  EXPECT_EQ(bill.total(), 511);
  std::string names;
  int64_t sum = 0;
  for (const Bill::Entry& entry : bill.entries()) {
    names.append(names.empty() ? "" : " ").append(entry.name);
    sum += entry.bytes;
  }
  EXPECT_EQ(names, "context weights activations workspace kernels staging io results video");
  EXPECT_EQ(sum, bill.total());
}

TEST(Bill, TotalOfAbsurdEntriesSaturates) {
  Bill bill;
  bill.weights = bill.activations = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(bill.total(), std::numeric_limits<int64_t>::max());
}

TEST(Bill, LargestBuffersAreThoseAliveAtTheStepLargestFirst) {
  std::vector<Buffer> buffers;
  for (int i = 0; i < 20; ++i)
    buffers.push_back(
        {.name = "b" + std::to_string(i), .bytes = 100 * (i % 15), .first_step = i % 3, .last_step = i % 3 + 1});
  const auto largest = largest_at(buffers, 1, 3);
  ASSERT_EQ(largest.size(), 3u);
  EXPECT_EQ(largest[0].name, "b13");
  EXPECT_EQ(largest[0].bytes, 1300);
  EXPECT_EQ(largest[1].name, "b12");
  EXPECT_EQ(largest[2].name, "b10");
  EXPECT_TRUE(largest_at(buffers, 9).empty());
}

TEST(Bill, TextShowsLineBillAndEntriesThatAreNotZero) {
  Bill bill;
  bill.weights = 12 << 20;
  bill.activations = 1536;
  const std::vector<NamedBytes> largest = {{"stem/conv", 1024}};
  EXPECT_EQ(bill_text(bill, 400 << 20, largest),
            "line               400.0 MiB         419430400 bytes\n"
            "bill                12.0 MiB          12584448 bytes\n"
            "  weights           12.0 MiB          12582912 bytes\n"
            "  activations        1.5 KiB              1536 bytes\n"
            "largest buffers at the peak step\n"
            "       1.0 KiB  stem/conv\n");
  EXPECT_EQ(bill_text(Bill{}, 0, {}), "bill                     0 B                 0 bytes\n");
}

}  // namespace
}  // namespace memline::memory

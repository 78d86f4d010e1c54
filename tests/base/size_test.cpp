#include "base/size.h"

#include <gtest/gtest.h>

namespace memline {
namespace {

TEST(Size, ReadsBareBytesAndBothKindsOfUnits) {
  EXPECT_EQ(parse_size("0").value(), 0);
  EXPECT_EQ(parse_size("4096").value(), 4096);
  EXPECT_EQ(parse_size("400MiB").value(), 400ll << 20);
  EXPECT_EQ(parse_size("1.5GiB").value(), 3ll << 29);
  EXPECT_EQ(parse_size("400MB").value(), 400'000'000);
}

TEST(Size, RefusesWhatIsNotASize) {
  for (const char* text : {"", "MiB", "-1MiB", "1 MiB", "1XiB", "1e400", "0.5", "99999999TiB", "nan", "0x10"})
    EXPECT_EQ(parse_size(text).error().code, Code::invalid_argument) << text;
}

TEST(Size, MultiplicationSaysWhenItOverflows) {
  EXPECT_EQ(checked_mul(1ll << 31, 1ll << 31), 1ll << 62);
  EXPECT_EQ(checked_mul(1ll << 32, 1ll << 32), std::nullopt);
  EXPECT_EQ(saturating_mul(1ll << 40, 1ll << 40), std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace memline

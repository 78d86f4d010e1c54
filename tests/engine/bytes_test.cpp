#include "engine/bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace memline::engine {
namespace {

std::vector<std::byte> raw(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(Bytes, EveryIntegerComesBackAsItWas) {
  for (const int64_t value :
       {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{63}, int64_t{64}, int64_t{-65}, int64_t{1} << 40,
        std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    ByteWriter writer;
    writer.i64(value);
    writer.u64(static_cast<uint64_t>(value));
    ByteReader reader(writer.bytes());
    EXPECT_EQ(reader.i64(), value);
    EXPECT_EQ(reader.u64(), static_cast<uint64_t>(value));
    EXPECT_EQ(reader.left(), 0u);
    EXPECT_EQ(reader.failure(), nullptr);
  }
}

TEST(Bytes, ADoubleKeepsItsBits) {
  ByteWriter writer;
  writer.f64(-0.0);
  writer.f64(1e-310);
  ByteReader reader(writer.bytes());
  EXPECT_TRUE(std::signbit(reader.f64()));
  EXPECT_EQ(reader.f64(), 1e-310);
}

TEST(Bytes, AnIntegerThatIsCutFails) {
  const auto bytes = raw({0x80, 0x80});
  ByteReader reader(bytes);
  EXPECT_EQ(reader.u64(), 0u);
  EXPECT_STREQ(reader.failure(), "the table ends inside a number");
}

TEST(Bytes, AnIntegerWithSuperfluousBytesOrMoreThan64BitsFails) {
  for (const auto& bytes : {raw({0x81, 0x00}), raw({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}),
                            raw({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0x01})}) {
    ByteReader reader(bytes);
    reader.u64();
    EXPECT_STREQ(reader.failure(), "a number is not well formed");
  }
}

TEST(Bytes, ACountThatTheBytesLeftCannotHoldFailsBeforeAnythingIsMade) {
  ByteWriter writer;
  writer.u64(100);
  writer.append(raw({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.count(1), 0u);
  EXPECT_NE(reader.failure(), nullptr);
  ByteReader wide(writer.bytes());
  EXPECT_EQ(wide.count(16), 0u);
  EXPECT_NE(wide.failure(), nullptr);
}

TEST(Bytes, TheFirstFailureSticksAndItsPlaceIsKept) {
  const auto bytes = raw({1, 0x80});
  ByteReader reader(bytes);
  reader.u64();
  reader.u64();
  reader.fail("later");
  EXPECT_STREQ(reader.failure(), "the table ends inside a number");
  EXPECT_EQ(reader.failed_at(), 2);
  EXPECT_TRUE(reader.text().empty());
}

TEST(Bytes, ANarrowIntegerAndAChoiceOutsideTheirTypeFail) {
  enum class Two : uint8_t { a, b };
  ByteWriter writer;
  writer.i64(int64_t{1} << 31);
  ByteReader narrow(writer.bytes());
  narrow.narrow<int32_t>();
  EXPECT_NE(narrow.failure(), nullptr);
  const auto bytes = raw({2});
  ByteReader choice(bytes);
  choice.choice(Two::b);
  EXPECT_NE(choice.failure(), nullptr);
}

}  // namespace
}  // namespace memline::engine

#include "choose/timing_cache.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace memline {
namespace {

using testing::HasSubstr;

class TimingCacheTest : public testing::Test {
 protected:
  TimingCacheTest()
      : folder_(std::filesystem::temp_directory_path() / ("timing_cache_test." + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~TimingCacheTest() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ / "times.json"; }
  void write(std::string_view text) const { std::ofstream(path()) << text; }
  std::string refusal() const {
    const auto cache = TimingCache::load(path(), "cpu avx2", 2);
    if (cache) return "";
    EXPECT_EQ(cache.error().code, Code::invalid_argument);
    return cache.error().message;
  }

  std::filesystem::path folder_;
};

TEST_F(TimingCacheTest, GivesBackToTheBitWhatWasAdded) {
  TimingCache cache("cpu avx2", 2);
  EXPECT_FALSE(cache.changed());
  cache.add("Conv(\"quoted\")", "a/1", 1234.56789012345678);
  cache.add("Conv(\"quoted\")", "b/2", 1e9 / 3);
  EXPECT_TRUE(cache.changed());
  ASSERT_TRUE(cache.save(path()).has_value());
  const auto loaded = TimingCache::load(path(), "cpu avx2", 2);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_FALSE(loaded->changed());
  EXPECT_EQ(loaded->find("Conv(\"quoted\")", "a/1"), 1234.56789012345678);
  EXPECT_EQ(loaded->find("Conv(\"quoted\")", "b/2"), 1e9 / 3);
  EXPECT_EQ(loaded->find("Conv(\"quoted\")", "b/3"), std::nullopt);
  EXPECT_EQ(loaded->find("other", "a/1"), std::nullopt);
}

TEST_F(TimingCacheTest, AFileThatIsNotThereIsAnEmptyCache) {
  const auto cache = TimingCache::load(path(), "cpu avx2", 2);
  ASSERT_TRUE(cache.has_value());
  EXPECT_EQ(cache->find("a", "b"), std::nullopt);
}

TEST_F(TimingCacheTest, ACacheOfAnotherMachineOrThreadCountIsRefusedAndBothAreNamed) {
  ASSERT_TRUE(TimingCache("cpu avx512", 2).save(path()).has_value());
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("cpu avx512"), HasSubstr("\"cpu avx2\"")));
  ASSERT_TRUE(TimingCache("cpu avx2", 7).save(path()).has_value());
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("7 threads"), HasSubstr("with 2")));
}

TEST_F(TimingCacheTest, WhatIsNoTimingCacheIsRefused) {
  for (const char* text :
       {"", "\x80\x04", "[]", "{}", R"({"memline_timing_cache": 2, "calls": {}})", R"({"memline_timing_cache": 1})"}) {
    write(text);
    EXPECT_THAT(refusal(), HasSubstr("is not a timing cache")) << text;
  }
  const std::string head = R"({"memline_timing_cache": 1, "target": "cpu avx2", "threads": 2, "calls": )";
  write(head + R"({"a": 3}})");
  EXPECT_THAT(refusal(), HasSubstr("'a' is not an object"));
  write(head + R"({"a": {"b": "fast"}}})");
  EXPECT_THAT(refusal(), HasSubstr("not a number"));
}

TEST_F(TimingCacheTest, AFolderThatCannotBeWrittenIsAnIoErrorAndLeavesNothing) {
  const Status saved = TimingCache("cpu avx2", 2).save(folder_ / "missing" / "times.json");
  ASSERT_FALSE(saved.has_value());
  EXPECT_EQ(saved.error().code, Code::io_error);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace memline

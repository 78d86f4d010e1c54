#include "base/log.h"

#include <gtest/gtest.h>

#include <vector>

namespace memline {
namespace {

TEST(Log, WritesAFixedMessageThenKeysAndValuesOnOneLine) {
  std::vector<std::string> lines;
  const Log log{.sink =
                    [&](LogLevel level, std::string_view line) {
                      lines.push_back(std::string(log_level_name(level)) + " " + std::string(line));
                    },
                .verbosity = LogLevel::info};
  log.write(LogLevel::info, "engine loaded",
            {{"path", "a b.mline"}, {"bytes", 4096}, {"empty", ""}, {"odd", "x\n\"y\""}});
  log.write(LogLevel::debug, "not wanted");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], R"(info engine loaded path="a b.mline" bytes=4096 empty="" odd="x\x0a\"y\"")");
}

TEST(Log, WithoutASinkWantsNothing) {
  const Log log{};
  EXPECT_FALSE(log.wants(LogLevel::error));
  log.write(LogLevel::error, "nobody hears");
}

}  // namespace
}  // namespace memline

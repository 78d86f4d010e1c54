// The build's line: printed, obeyed as the kernel counts, or refused up front with the least number that works.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace memline {
namespace {

using test::Outcome;
using testing::HasSubstr;

class BuildMemory : public test::ProgramTest {
 protected:
  Outcome build(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"build",   std::string(MEMLINE_SOURCE_DIR) + "/models/person-seg/person-seg.onnx",
                                      "-o",      inside("work/e.mline"),
                                      "--shape", "images=1x3x640x640"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  // What the process holds before it does anything: the build's baseline.
  int64_t baseline() const { return run({"--version"}).peak_bytes; }
};

TEST_F(BuildMemory, TheDefaultIsPrintedBeforeWorkBeginsAndObeyed) {
  const Outcome built = build({"--memory", "36MiB"});
  ASSERT_EQ(built.code, 0) << built.err;
  EXPECT_THAT(built.out, testing::StartsWith("the build's line "));
  const Outcome again = build({"--memory", "36MiB", "--json"});
  const int64_t line = nlohmann::json::parse(again.out)["build_limit_bytes"];
  EXPECT_THAT(built.out, HasSubstr(std::to_string(line)));
  EXPECT_LE(built.peak_bytes - baseline(), line);
}

TEST_F(BuildMemory, TheLeastLineIsObeyedAndAByteLessIsRefused) {
  const Outcome refused = build({"--build-memory", "1MiB", "--json"});
  EXPECT_EQ(refused.code, 5);
  const auto error = nlohmann::json::parse(refused.out)["error"];
  EXPECT_EQ(error["phase"], "build");
  const int64_t least = error["least_bytes"];
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr(std::to_string(least)));
  EXPECT_EQ(build({"--build-memory", std::to_string(least - 1)}).code, 5);
  EXPECT_FALSE(std::filesystem::exists(inside("work/e.mline")));

  const Outcome built = build({"--build-memory", std::to_string(least), "--json"});
  ASSERT_EQ(built.code, 0) << built.out;
  EXPECT_LE(built.peak_bytes - baseline(), least);
  EXPECT_GT(nlohmann::json::parse(built.out)["untimed_calls"], 0) << "there is no room to time the large ones";
}

TEST_F(BuildMemory, TheRunsLineIsRefusedBeforeAnythingIsTimed) {
  const Outcome refused = build({"--memory", "30MiB", "--json"});
  EXPECT_EQ(refused.code, 5);
  EXPECT_EQ(nlohmann::json::parse(refused.out)["error"]["phase"], "run");
  const int64_t least = nlohmann::json::parse(refused.out)["error"]["least_bytes"];
  const Outcome built = build({"--memory", std::to_string(least), "--json"});
  ASSERT_EQ(built.code, 0) << built.out;
  EXPECT_LE(nlohmann::json::parse(built.out)["bill_bytes"]["total"], least);
  EXPECT_EQ(build({"--memory", std::to_string(least - 1)}).code, 5);
}

}  // namespace
}  // namespace memline

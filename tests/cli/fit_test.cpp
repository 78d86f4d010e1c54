// memline fit: points between the least line and none.
#include "cli/program.h"

namespace memline {
namespace {

using test::kInvalidArgument;
using test::kNotFound;
using test::kOk;
using test::kOverBudget;

class FitCommand : public test::ProgramTest {
 protected:
  static std::string model() { return std::string(MEMLINE_SOURCE_DIR) + "/models/person-seg/person-seg.onnx"; }
  static std::vector<std::string> fit(std::vector<std::string> more) {
    more.insert(more.begin(), {"fit", model(), "--shape", "images=1x3x96x96", "--tune", "none", "--threads", "1"});
    return more;
  }
};

TEST_F(FitCommand, PointsRiseFromTheLeastLineToNone) {
  const std::string svg = inside("work/curve.svg");
  const auto json = json_of(fit({"--points", "5", "--runs", "2", "--svg", svg}));
  const auto& points = json["points"];
  ASSERT_GE(points.size(), 2u);
  EXPECT_EQ(points.front()["bill_bytes"]["total"], json["least_bytes"]);
  EXPECT_EQ(points.back()["bill_bytes"]["total"], json["roomy_bytes"]);
  for (size_t i = 0; i < points.size(); ++i) {
    EXPECT_LE(points[i]["bill_bytes"]["total"], points[i]["line_bytes"]) << i;
    EXPECT_GT(points[i]["measured_ms"].get<double>(), 0) << i;
    EXPECT_GT(points[i]["predicted_ms"].get<double>(), 0) << i;
    if (i > 0) {
      EXPECT_GT(points[i]["bill_bytes"]["total"], points[i - 1]["bill_bytes"]["total"]) << i;
    }
  }
  const std::string drawn = test::text_of(svg);
  EXPECT_THAT(drawn, testing::StartsWith("<svg "));
  EXPECT_THAT(drawn, testing::EndsWith("</svg>\n"));
  size_t circles = 0;
  for (size_t at = 0; (at = drawn.find("<circle", at)) != std::string::npos; ++at) ++circles;
  EXPECT_EQ(circles, points.size());
}

TEST_F(FitCommand, TheLeastLineWorksAndOneByteLessIsRefused) {
  const auto json = json_of(fit({"--points", "2", "--runs", "0"}));
  EXPECT_TRUE(json["points"][0]["measured_ms"].is_null());
  const int64_t least = json["least_bytes"];
  const auto build = [&](int64_t line) {
    return run({"build", model(), "-o", inside("work/out.mline"), "--shape", "images=1x3x96x96", "--tune", "none",
                "--threads", "1", "--memory", std::to_string(line)})
        .code;
  };
  EXPECT_EQ(build(least), kOk);
  EXPECT_EQ(build(least - 1), kOverBudget);
}

TEST_F(FitCommand, OneTimingCacheServesAllLinesAndStays) {
  const std::string cache = inside("work/cache");
  std::vector<std::string> arguments = {"fit", model(), "--shape", "images=1x3x64x64", "--threads", "1"};
  arguments.insert(arguments.end(), {"--points", "3", "--runs", "0", "--timing-cache", cache});
  const auto first = json_of(arguments);
  ASSERT_TRUE(std::filesystem::exists(cache));
  EXPECT_EQ(json_of(arguments), first);
}

TEST_F(FitCommand, WhatCannotBeFitted) {
  expect_refused(fit({"--memory", "40MiB"}), kInvalidArgument, "invalid_argument", "--memory");
  expect_refused(fit({"--plan", "plain"}), kInvalidArgument, "invalid_argument", "--plan");
  expect_refused(fit({"--points", "1"}), kInvalidArgument, "invalid_argument", "1 points");
  expect_refused(fit({"--runs", "-1"}), kInvalidArgument, "invalid_argument", "-1 runs");
  expect_refused({"fit", model()}, kInvalidArgument, "invalid_argument", "images");
  expect_refused({"fit", inside("work/missing.onnx")}, kNotFound, "not_found", "missing.onnx");
}

}  // namespace
}  // namespace memline

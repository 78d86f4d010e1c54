// memline bench on one engine at many shapes: what is measured, and what is refused.
#include "cli/program.h"

namespace memline {
namespace {

using test::kInvalidArgument;
using test::kOk;
using test::Outcome;

class BenchCommand : public test::ProgramTest {
 protected:
  BenchCommand() : engine_(inside("work/dynamic.mline")) {
    const std::string model = std::string(MEMLINE_SOURCE_DIR) + "/models/person-seg/person-seg.onnx";
    const Outcome built = run({"build", model, "-o", engine_, "--tune", "none", "--threads", "1", "--shape",
                               "images=1x3x64x64:1x3x96x96:1x3x160x160"});
    EXPECT_EQ(built.code, kOk) << built.err;
  }
  std::string engine_;
};

TEST_F(BenchCommand, RandomShapesRunTwiceEachAndTakeNothing) {
  const auto json = json_of({"bench", engine_, "--random-shapes", "20", "--seed", "5"});
  EXPECT_EQ(json["runs"], 40);
  EXPECT_EQ(json["random_shapes"], 20);
  EXPECT_EQ(json["seed"], 5);
  for (const char* key : {"first_at_shape_ms", "second_at_shape_ms", "latency_ms"}) {
    EXPECT_GT(json[key]["min"].get<double>(), 0) << key;
    EXPECT_LE(json[key]["min"].get<double>(), json[key]["p99"].get<double>() * 1.006) << key;
  }
  EXPECT_GT(json["first_over_second"].get<double>(), 0);
  EXPECT_LE(json["peak_bytes"], json["bill_bytes"]["total"]);
  if (json["reclaimed_pages"] == 0) {
    EXPECT_EQ(json["growth_bytes"], 0);
    EXPECT_EQ(json["new_pages"], 0);
  }
}

TEST_F(BenchCommand, AShapeOfTheRangeInsteadOfTheUsualOne) {
  const auto json = json_of({"bench", engine_, "--shape", "images=1x3x128x64", "--runs", "3"});
  EXPECT_EQ(json["shape"]["images"], (std::vector<int64_t>{1, 3, 128, 64}));
  EXPECT_EQ(json_of({"bench", engine_, "--runs", "1"})["shape"]["images"], (std::vector<int64_t>{1, 3, 96, 96}));
}

TEST_F(BenchCommand, ShapesThatTheEngineDoesNotTake) {
  const auto refused = [&](const std::string& shape, const std::string& part) {
    expect_refused({"bench", engine_, "--runs", "1", "--shape", shape}, kInvalidArgument, "invalid_argument", part);
  };
  refused("images=1x3x128x161", "images");
  refused("images=1x3x128", "images");
  refused("images=1x3x100x100", "nearest shape that works");
  refused("images=1x3x64x64:1x3x96x96", "range");
  refused("images=64 x 64", "--shape images");
  refused("picture=1x3x64x64", "no input 'picture'");
  refused("1x3x64x64", "NAME=");
}

TEST_F(BenchCommand, OptionsThatContradictEachOther) {
  expect_refused({"bench", engine_, "--random-shapes", "3", "--runs", "3"}, kInvalidArgument, "invalid_argument");
  expect_refused({"bench", engine_, "--random-shapes", "0"}, kInvalidArgument, "invalid_argument");
  expect_refused({"bench", engine_, "--random-shapes", "3", "--seed", "-1"}, kInvalidArgument, "invalid_argument");
  expect_refused({"bench", engine_, "--seed", "3"}, kInvalidArgument, "invalid_argument", "--random-shapes");
}

}  // namespace
}  // namespace memline

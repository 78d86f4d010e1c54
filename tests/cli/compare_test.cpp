// memline compare: stored values beside ours, node by node.
#include <cmath>

#include "cli/npy.h"
#include "cli/program.h"
#include "support/onnx_model.h"

namespace memline {
namespace {

using test::kInvalidArgument;
using test::kInvalidModel;
using test::kNotFound;

// x -> Relu -> a/b -> Neg -> c -> Add(c, x) -> y, of four floats; what is stored is right until a test spoils it.
class CompareCommand : public test::ProgramTest {
 protected:
  CompareCommand() : model_(inside("work/model.onnx")), stored_(inside("work/stored")) {
    test::write_file(model_, test::OnnxModel(13)
                                 .input("x", {"n"})
                                 .output("y")
                                 .node(test::OnnxNode("Relu", {"x"}, {"a/b"}, "positive"))
                                 .node(test::OnnxNode("Neg", {"a/b"}, {"c"}, "negate"))
                                 .node(test::OnnxNode("Add", {"c", "x"}, {"y"}, "sum"))
                                 .bytes());
    std::filesystem::create_directories(stored_);
    store("x", {1, -2, 3, -4});
    store("a%2Fb", {1, 0, 3, 0});
    store("c", {-1, 0, -3, 0});
    store("y", {0, -2, 0, -4});
  }
  void store(const std::string& file, std::vector<float> values) const {
    const TensorRef tensor(DType::f32, values.data(), {static_cast<int64_t>(values.size())});
    EXPECT_TRUE(cli::write_npy(stored_ + "/" + file + ".npy", tensor));
  }
  nlohmann::json compare(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"compare", model_, "--reference", stored_,
                                          "--tune",  "none", "--threads",   "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json_of(arguments);
  }
  std::string model_, stored_;
};

TEST_F(CompareCommand, StoredValuesThatAgree) {
  for (const char* on : {"engine", "reference"}) {
    const auto json = compare({"--on", on});
    EXPECT_EQ(json["compared"], 3) << on;
    EXPECT_EQ(json["differing"], 0) << on;
    EXPECT_TRUE(json["first"].is_null()) << on;
    ASSERT_EQ(json["values"].size(), 3u) << on;
    EXPECT_EQ(json["values"][0]["name"], "a/b");
    EXPECT_EQ(json["values"][0]["node"], "positive");
    EXPECT_EQ(json["values"][0]["op"], "Relu");
    EXPECT_EQ(json["values"][0]["range"], 3);
    EXPECT_EQ(json["outputs"].size(), std::string(on) == "engine" ? 1u : 0u);
  }
}

TEST_F(CompareCommand, TheFirstNodeThatDiffersIsNamed) {
  store("c", {-1, 0, -3, 0.3f});
  for (const char* on : {"engine", "reference"}) {
    const auto json = compare({"--on", on});
    EXPECT_EQ(json["differing"], 1) << on;
    EXPECT_EQ(json["first"]["name"], "c") << on;
    EXPECT_EQ(json["first"]["node"], "negate") << on;
    EXPECT_EQ(json["first"]["beyond"], 1) << on;
    EXPECT_NEAR(json["first"]["max_error"].get<double>(), 0.3 / 3.3, 1e-6) << on;
  }
  EXPECT_EQ(compare({"--tolerance", "0.1"})["differing"], 0);
  const test::Outcome text = run({"compare", model_, "--reference", stored_, "--tune", "none"});
  EXPECT_THAT(text.out, testing::HasSubstr("Neg 'negate' -> c"));
}

TEST_F(CompareCommand, ADifferentOutputShowsInTheEngineAsBuiltToo) {
  store("y", {0, -2, 1, -4});
  const auto json = compare();
  EXPECT_EQ(json["first"]["name"], "y");
  ASSERT_EQ(json["outputs"].size(), 1u);
  EXPECT_EQ(json["outputs"][0]["differs"], true);
  EXPECT_EQ(json["differing"], 2);
}

TEST_F(CompareCommand, AnotherShapeAndWhatIsNoNumber) {
  store("a%2Fb", {1, 0, 3});
  store("c", {-1, 0, NAN, 0});
  const auto json = compare();
  EXPECT_THAT(json["values"][0]["mismatch"].get<std::string>(), testing::HasSubstr("stored is f32[3], ours is f32[4]"));
  EXPECT_EQ(json["values"][1]["beyond"], 1);
  EXPECT_TRUE(json["values"][1]["max_error"].is_null()) << "JSON has no infinity";
  EXPECT_EQ(json["differing"], 2);
}

TEST_F(CompareCommand, AStoredValueThatTheModelLacksIsNamed) {
  store("nobody", {1});
  const auto json = compare();
  EXPECT_EQ(json["unknown"], nlohmann::json::array({"nobody"}));
  EXPECT_EQ(json["differing"], 0);
}

TEST_F(CompareCommand, WhatCannotBeCompared) {
  const auto refused = [&](std::vector<std::string> more, int code, const std::string& name, const std::string& part) {
    more.insert(more.begin(), {"compare", model_});
    expect_refused(more, code, name, part);
  };
  refused({}, kInvalidArgument, "invalid_argument", "--reference");
  refused({"--reference", inside("work/none")}, kNotFound, "not_found", "none");
  refused({"--reference", stored_, "--on", "paper"}, kInvalidArgument, "invalid_argument", "--on");
  refused({"--reference", stored_, "--tolerance", "-1"}, kInvalidArgument, "invalid_argument", "--tolerance");
  refused({"--reference", stored_, "--task", "segment"}, kInvalidArgument, "invalid_argument", "task");
  std::filesystem::create_directories(inside("work/empty"));
  refused({"--reference", inside("work/empty")}, kNotFound, "not_found", "no .npy");
  test::write_file(stored_ + "/c.npy", "no array");
  refused({"--reference", stored_}, kInvalidArgument, "invalid_argument", "c.npy");
  std::filesystem::remove(stored_ + "/x.npy");
  refused({"--reference", stored_}, kInvalidArgument, "invalid_argument", "input 'x'");
  expect_refused({"compare", stored_ + "/y.npy", "--reference", stored_}, kInvalidModel, "invalid_model");
}

}  // namespace
}  // namespace memline

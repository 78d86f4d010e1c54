// Whatever the program is given: one line on standard error, the right exit code, and nothing left behind.
#include "cli/program.h"

namespace memline {
namespace {

using test::kInvalidArgument;
using test::kInvalidModel;
using test::kIoError;
using test::kNotFound;
using test::kOk;
using test::kOverBudget;
using test::Outcome;
using test::text_of;
using test::write_file;

class BadInput : public test::ProgramTest {
 protected:
  static std::string model() { return case_file("add_is_not_a_bias/model.onnx"); }
  std::string engine() const { return inside("work/good.mline"); }

  void build() const {
    const Outcome built = run({"build", model(), "-o", engine(), "--tune", "none", "--threads", "1"});
    ASSERT_EQ(built.code, kOk) << built.err;
  }

  void expect_build_refused(const std::string& from, int code, const std::string& code_name,
                            const std::string& part = "") const {
    expect_refused({"build", from, "-o", inside("work/out.mline"), "--tune", "none"}, code, code_name, part);
  }
};

TEST_F(BadInput, ModelsThatAreNone) {
  const std::string whole = text_of(model());
  write_file(inside("work/empty.onnx"), "");
  write_file(inside("work/cut.onnx"), whole.substr(0, whole.size() / 2));
  write_file(inside("work/text.onnx"), "#!/bin/sh\necho this is no model\n");
  expect_build_refused(inside("work/empty.onnx"), kInvalidModel, "invalid_model");
  expect_build_refused(inside("work/cut.onnx"), kInvalidModel, "invalid_model");
  expect_build_refused(inside("work/text.onnx"), kInvalidModel, "invalid_model");
  expect_build_refused(inside("work/missing.onnx"), kNotFound, "not_found", "missing.onnx");
}

TEST_F(BadInput, EnginesThatAreNone) {
  build();
  const std::string whole = text_of(engine());
  std::string flipped = whole;
  flipped[flipped.size() / 3] = static_cast<char>(flipped[flipped.size() / 3] ^ 0x10);
  write_file(inside("work/empty.mline"), "");
  write_file(inside("work/cut.mline"), whole.substr(0, whole.size() - 100));
  write_file(inside("work/flipped.mline"), flipped);
  for (const char* name : {"empty.mline", "cut.mline", "flipped.mline"}) {
    expect_refused({"inspect", inside(std::string("work/") + name)}, kInvalidArgument, "invalid_argument", name);
    expect_refused({"bench", inside(std::string("work/") + name), "--runs", "1"}, kInvalidArgument, "invalid_argument",
                   name);
  }
  expect_refused({"inspect", model()}, kInvalidArgument, "invalid_argument", "model.onnx");
  expect_refused({"inspect", inside("work/missing.mline")}, kNotFound, "not_found", "missing.mline");
}

TEST_F(BadInput, ReasonsOfBadEnginesAreStable) {
  build();
  const std::string whole = text_of(engine());
  write_file(inside("work/cut.mline"), whole.substr(0, whole.size() - 100));
  const auto reason = [&](const std::string& path) {
    return nlohmann::json::parse(run({"inspect", path, "--json"}).out)["error"]["reason"].get<std::string>();
  };
  EXPECT_EQ(reason(inside("work/cut.mline")), "engine_truncated");
  EXPECT_EQ(reason(model()), "engine_not_ours");
}

TEST_F(BadInput, InputsThatDoNotFitTheEngine) {
  build();
  const auto inspected = nlohmann::json::parse(run({"inspect", engine(), "--json"}).out);
  const std::string name = inspected["inputs"][0]["name"];
  const std::string good = case_file("add_is_not_a_bias/input_0.npy");
  const std::string out = inside("work/out");
  const auto refused = [&](const std::string& input, int code, const std::string& code_name, const std::string& part) {
    expect_refused({"run", engine(), "--input", input, "--output", out}, code, code_name, part);
  };
  EXPECT_EQ(run({"run", engine(), "--input", name + "=" + good, "--output", inside("elsewhere")}).code, kOk);
  refused("nobody=" + good, kInvalidArgument, "invalid_argument", name);
  refused(name, kInvalidArgument, "invalid_argument", "NAME=FILE.npy");
  refused(name + "=" + inside("work/missing.npy"), kNotFound, "not_found", "missing.npy");
  refused(name + "=" + model(), kInvalidArgument, "invalid_argument", "model.onnx");

  const std::string array = text_of(good);
  std::string other_dtype = array;
  other_dtype.replace(array.find("<f4"), 3, "<i4");
  write_file(inside("work/ints.npy"), other_dtype);
  refused(name + "=" + inside("work/ints.npy"), kInvalidArgument, "invalid_argument", name);

  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
  std::string small = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() + 1) + '\0' + header +
                      "\n" + std::string(4, '\0');
  write_file(inside("work/small.npy"), small);
  refused(name + "=" + inside("work/small.npy"), kInvalidArgument, "invalid_argument", name);
  write_file(inside("work/cut.npy"), array.substr(0, array.size() - 3));
  refused(name + "=" + inside("work/cut.npy"), kInvalidArgument, "invalid_argument", "cut.npy");
}

TEST_F(BadInput, CommandLinesThatMeanNothing) {
  expect_refused({"build", model(), "-o", inside("work/out.mline"), "--no-such-option"}, kInvalidArgument,
                 "invalid_argument", "--no-such-option");
  expect_refused({"frobnicate"}, kInvalidArgument, "invalid_argument");
  expect_refused({}, kInvalidArgument, "invalid_argument");
  expect_refused({"build", model()}, kInvalidArgument, "invalid_argument", "--output");
  const auto with = [&](const std::string& option, const std::string& value, const std::string& part) {
    expect_refused({"build", model(), "-o", inside("work/out.mline"), option, value}, kInvalidArgument,
                   "invalid_argument", part);
  };
  with("--memory", "lots", "--memory");
  with("--memory", "0", "--memory");
  with("--tune", "hard", "needs none, quick or full");
  with("--threads", "100000", "100000 threads");
  with("--shape", "x", "--shape");
  with("--shape", "nobody=1x2", "nobody");
  with("--source-max", "wide", "--source-max");
  with("--task", "juggle", "juggle");
  with("--skip", "no_such_pass", "no_such_pass");
}

TEST_F(BadInput, ALineThatIsTooSmallNamesTheLeastThatWorks) {
  const std::vector<std::string> tiny = {
      "build", model(), "-o", inside("work/out.mline"), "--tune", "none", "--threads", "1", "--memory", "1KiB"};
  expect_refused(tiny, kOverBudget, "over_budget", "least line that works");
  std::vector<std::string> arguments = tiny;
  arguments.push_back("--json");
  const auto error = nlohmann::json::parse(run(arguments).out)["error"];
  EXPECT_EQ(error["phase"], "run");
  const int64_t least = error["least_bytes"];
  const auto with_line = [&](int64_t line) {
    std::vector<std::string> again = tiny;
    again.back() = std::to_string(line);
    return run(again).code;
  };
  EXPECT_EQ(with_line(least - 1), kOverBudget);
  EXPECT_EQ(with_line(least), kOk);
}

TEST_F(BadInput, OutputsThatCannotBeWritten) {
  expect_refused({"build", model(), "-o", inside("work/no/such/folder.mline"), "--tune", "none"}, kNotFound,
                 "not_found", "folder.mline");
  std::filesystem::create_directories(inside("work/taken"));
  expect_refused({"build", model(), "-o", inside("work/taken"), "--tune", "none"}, kIoError, "io_error", "taken");
}

TEST_F(BadInput, ASourceThatIsNoPictureAndAModelThatHasNoTask) {
  write_file(inside("work/notes.txt"), "no picture");
  const Outcome missing = run({"segment", inside("work/missing.jpg"), "--model", model()});
  EXPECT_EQ(missing.code, kNotFound) << missing.err;
  const Outcome text = run({"segment", inside("work/notes.txt"), "--model", model()});
  EXPECT_TRUE(text.code == kInvalidArgument || text.code == kNotFound) << text.err;
  EXPECT_EQ(std::count(text.err.begin(), text.err.end(), '\n'), 1) << text.err;
}

}  // namespace
}  // namespace memline

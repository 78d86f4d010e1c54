// Runs the built program and says what came of it: exit code, both outputs.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

extern char** environ;

namespace memline::test {

enum Exit { kOk = 0, kInvalidArgument = 2, kInvalidModel = 3, kOverBudget = 5, kNotFound = 7, kIoError = 8 };

struct Outcome {
  int code = -1;  // -signal when it was ended by one
  std::string out, err;
  int64_t peak_bytes = 0;  // resident, from the kernel, of the process alone
};

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A folder of the test's own, gone with it.
class ProgramTest : public testing::Test {
 protected:
  ProgramTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "memline_cli_XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::filesystem::create_directories(inside("work"));
  }
  ~ProgramTest() override { std::filesystem::remove_all(folder_); }

  std::string inside(const std::string& name) const { return folder_ + "/" + name; }
  static std::string case_file(const std::string& name) {
    return std::string(MEMLINE_SOURCE_DIR) + "/tests/cases_onnx/" + name;
  }

  // Standard output and error go to files beside work/, where what a command leaves behind would be seen.
  Outcome run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), MEMLINE_PROGRAM);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const std::string out = inside("stdout"), err = inside("stderr");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    EXPECT_EQ(::posix_spawn(&child, MEMLINE_PROGRAM, &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text_of(out), text_of(err),
            int64_t{usage.ru_maxrss} * 1024};
  }

  // The JSON object of a command that must succeed.
  nlohmann::json json_of(std::vector<std::string> arguments) const {
    SCOPED_TRACE(testing::PrintToString(arguments));
    arguments.push_back("--json");
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, kOk) << outcome.out << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out, nullptr, false);
    EXPECT_TRUE(json.is_object()) << outcome.out;
    return json.is_object() ? json : nlohmann::json::object();
  }

  // What lies in work/.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(inside("work")))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  // The command fails alike for a person and with --json, and work/ is as it was.
  void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& code_name,
                      const std::string& part = "") const {
    SCOPED_TRACE(testing::PrintToString(arguments));
    const std::vector<std::string> before = files();
    const Outcome plain = run(arguments);
    EXPECT_EQ(plain.code, code) << plain.err;
    EXPECT_THAT(plain.out, testing::AnyOf("", testing::StartsWith("the build's line"))) << "printed before it was met";
    EXPECT_THAT(plain.err, testing::StartsWith("memline: " + code_name + ": "));
    EXPECT_THAT(plain.err, testing::HasSubstr(part));
    if (code != kOverBudget) {  // which lists the largest buffers below its line
      EXPECT_EQ(std::count(plain.err.begin(), plain.err.end(), '\n'), 1) << plain.err;
    }

    std::vector<std::string> with_json = arguments;
    with_json.push_back("--json");
    const Outcome json = run(with_json);
    EXPECT_EQ(json.code, code);
    EXPECT_EQ(json.err, "");
    const auto parsed = nlohmann::json::parse(json.out, nullptr, false);
    ASSERT_TRUE(parsed.is_object() && parsed.contains("error")) << json.out;
    EXPECT_EQ(parsed["error"]["code"], code_name);
    EXPECT_TRUE(parsed["error"].contains("reason"));
    EXPECT_THAT(parsed["error"]["message"].get<std::string>(), testing::HasSubstr(part));
    EXPECT_EQ(files(), before);
  }

  std::string folder_;
};

}  // namespace memline::test

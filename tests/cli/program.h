// Runs the built program and says what came of it: exit code, both outputs.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern char** environ;

namespace memline::test {

struct Outcome {
  int code = -1;  // -signal when it was ended by one
  std::string out, err;
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
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text_of(out), text_of(err)};
  }

  std::string folder_;
};

}  // namespace memline::test

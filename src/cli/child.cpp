#include "cli/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/result.h"

extern char** environ;

namespace memline::cli {
namespace {

Code code_of(std::string_view name) {
  for (const Code code :
       {Code::invalid_argument, Code::invalid_model, Code::unsupported, Code::over_budget, Code::out_of_memory,
        Code::not_found, Code::io_error, Code::device_error, Code::internal, Code::cancelled})
    if (code_name(code) == name) return code;
  return Code::internal;
}

Failure error_of(const std::string& output) {
  const auto json = nlohmann::json::parse(output, nullptr, false);
  if (!json.is_object() || !json.contains("error")) return internal("the build ended without a report");
  const auto& from = json["error"];
  Error error;
  error.code = code_of(from.value("code", "internal"));
  error.reason = from.value("reason", "");
  error.message = from.value("message", "");
  error.phase = from.value("phase", "");
  error.least_bytes = from.value("least_bytes", int64_t{0});
  if (from.contains("largest"))
    for (const auto& buffer : from["largest"])
      error.largest.push_back({buffer.value("name", ""), buffer.value("bytes", int64_t{0})});
  return Failure(std::move(error));
}

std::string read_all(int descriptor) {
  std::string text;
  char part[4096];
  for (ssize_t n; (n = ::read(descriptor, part, sizeof(part))) != 0;) {
    if (n > 0)
      text.append(part, static_cast<size_t>(n));
    else if (errno != EINTR)
      break;
  }
  return text;
}

}  // namespace

Status build_in_child(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"memline", "build", "--json"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return io_error("no pipe for the build: {}", std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed != 0) {
    ::close(ends[0]);
    return io_error("the build cannot be started: {}", std::strerror(failed));
  }
  const std::string output = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFSIGNALED(status)) return internal("the build was ended by signal {}", WTERMSIG(status));
  return error_of(output);
}

}  // namespace memline::cli

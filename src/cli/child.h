// Builds in a child process, so that the build's memory is never part of the run's peak.
#pragma once

#include <string>
#include <vector>

#include "memline/result.hpp"

namespace memline::cli {

// A file that is gone when the object is.
class TemporaryFile {
 public:
  static Result<TemporaryFile> make();
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Runs `memline build --json` with these arguments. The error of a failed build comes back as it was.
Status build_in_child(const std::vector<std::string>& arguments);

}  // namespace memline::cli

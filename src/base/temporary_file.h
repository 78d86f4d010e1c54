// TemporaryFile: an empty file of a name of its own below $TMPDIR or /tmp, readable by its user only.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace memline {

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

}  // namespace memline

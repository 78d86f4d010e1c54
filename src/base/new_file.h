// NewFile: a file that appears at its path whole or not at all. It is written without a name (or, where the file system
// cannot, under a unique name in the same folder), synced, and renamed into place by commit(). Destroyed without
// commit(), nothing is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace memline {

class NewFile {
 public:
  // Errors: not_found when the folder does not exist; io_error with reason no_permission or disk_full, or errno's text.
  static Result<NewFile> create(std::string path);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  Status append(std::span<const std::byte> bytes);
  // Overwrites bytes that were appended before.
  Status overwrite(int64_t offset, std::span<const std::byte> bytes);
  int64_t size() const { return size_; }

  // Syncs and renames over whatever was at the path. Call once.
  Status commit();

 private:
  NewFile(std::string path, int descriptor, std::string temporary)
      : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}
  Status write_at(int64_t offset, std::span<const std::byte> bytes);

  std::string path_;
  std::string temporary_;  // its name until commit, empty while it has none
  int descriptor_ = -1;
  int64_t size_ = 0;
};

}  // namespace memline

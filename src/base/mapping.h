// Memory taken from the kernel, not from malloc: files mapped read-only, and anonymous pages that are resident before
// use. Both give back everything when destroyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace memline {

// A file mapped read-only. Errors: not_found, io_error (with errno's text), invalid_argument for what is not a
// regular file.
class MappedFile {
 public:
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
  const std::string& path() const { return path_; }

 private:
  MappedFile(std::string path, void* data, size_t size) : path_(std::move(path)), data_(data), size_(size) {}
  std::string path_;
  void* data_;
  size_t size_;
};

// Brings the pages of a mapping into memory in one call instead of one fault a page. A hint: what fails is read on
// first use.
void make_resident(std::span<const std::byte> bytes) noexcept;

// Zeroed anonymous pages, every one resident when take() returns. Whole 2 MiB parts may become huge pages (asked for,
// not required); nothing outside [data, data + bytes rounded up to a page) is ever taken.
class Pages {
 public:
  Pages() = default;
  static Result<Pages> take(int64_t bytes);  // out_of_memory names the bytes
  ~Pages();
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;

  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace memline

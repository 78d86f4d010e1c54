#include "base/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/size.h"

namespace memline {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kHugePage = 2 << 20;

Failure open_failed(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR) return not_found("'{}' does not exist", path);
  if (error == EACCES || error == EPERM)
    return fail(Code::io_error, "no_permission", "'{}' cannot be read: no permission", path);
  return io_error("'{}' cannot be read: {}", path, std::strerror(error));
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return open_failed(path, errno);
  struct stat info;
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(descriptor);
    return invalid_argument("'{}' is not a regular file", path);
  }
  void* data = nullptr;
  if (info.st_size > 0) {
    data = ::mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED) {
      const int error = errno;
      ::close(descriptor);
      return open_failed(path, error);
    }
  }
  ::close(descriptor);
  return std::shared_ptr<const MappedFile>(new MappedFile(path, data, static_cast<size_t>(info.st_size)));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

void make_resident(std::span<const std::byte> bytes) noexcept {
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data()) & ~static_cast<uintptr_t>(kPage - 1);
  const auto end = reinterpret_cast<uintptr_t>(bytes.data()) + bytes.size();
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_READ);
}

Result<Pages> Pages::take(int64_t bytes) {
  Pages pages;
  if (bytes <= 0) return pages;
  const auto size = static_cast<size_t>(align_up(bytes, kPage));
  // Address space for alignment to a huge page is reserved and trimmed; only [data, data + size) is ever populated.
  const size_t reserved = size + kHugePage;
  void* base = ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return out_of_memory("the system refused {} of memory", format_size(bytes));
  const auto address = reinterpret_cast<uintptr_t>(base);
  const uintptr_t begin = (address + kHugePage - 1) & ~static_cast<uintptr_t>(kHugePage - 1);
  if (begin > address) ::munmap(base, begin - address);
  const uintptr_t end = begin + size;
  if (address + reserved > end) ::munmap(reinterpret_cast<void*>(end), address + reserved - end);
  pages.data_ = reinterpret_cast<void*>(begin);
  pages.size_ = size;
  const size_t huge = size / kHugePage * kHugePage;
  if (huge > 0) ::madvise(pages.data_, huge, MADV_HUGEPAGE);
  if (::madvise(pages.data_, size, MADV_POPULATE_WRITE) != 0) {
    if (errno == ENOMEM || errno == EFAULT) return out_of_memory("the system refused {} of memory", format_size(bytes));
    for (size_t at = 0; at < size; at += kPage) static_cast<volatile char*>(pages.data_)[at] = 0;
  }
  return pages;
}

Pages::~Pages() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace memline

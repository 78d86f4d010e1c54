#include "base/new_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace memline {
namespace {

constexpr int kTries = 16;  // names that may be taken already

Failure write_failed(const std::string& path, int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return not_found("'{}' cannot be written: its folder does not exist", path);
    case EACCES:
    case EPERM:
    case EROFS:
      return fail(Code::io_error, "no_permission", "'{}' cannot be written: no permission", path);
    case ENOSPC:
    case EDQUOT:
      return fail(Code::io_error, "disk_full", "'{}' cannot be written: the disk is full", path);
    default:
      return io_error("'{}' cannot be written: {}", path, std::strerror(error));
  }
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A name in the folder of `path` that nobody else makes up at the same moment.
std::string temporary_name(const std::string& path) {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
    number = static_cast<uint64_t>(::getpid()) << 32 ^ reinterpret_cast<uintptr_t>(&number);
  return fmt::format("{}.{:016x}.tmp", path, number);
}

// f(name) returns -1 with EEXIST when the name is taken.
template <typename F>
int with_new_name(const std::string& path, std::string& name, F&& f) {
  for (int i = 0; i < kTries; ++i) {
    name = temporary_name(path);
    const int result = f(name.c_str());
    if (result >= 0 || errno != EEXIST) return result;
  }
  return -1;
}

}  // namespace

Result<NewFile> NewFile::create(std::string path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return io_error("'{}' is a folder", path);
  int descriptor = ::open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  std::string temporary;
  if (descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
    descriptor = with_new_name(
        path, temporary, [](const char* name) { return ::open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666); });
  if (descriptor < 0) return write_failed(path, errno);
  return NewFile(std::move(path), descriptor, std::move(temporary));
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status NewFile::write_at(int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return write_failed(path_, written < 0 ? errno : ENOSPC);
    offset += written;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Status NewFile::append(std::span<const std::byte> bytes) {
  MEML_TRY_STATUS(write_at(size_, bytes));
  size_ += static_cast<int64_t>(bytes.size());
  return {};
}

Status NewFile::overwrite(int64_t offset, std::span<const std::byte> bytes) {
  if (offset < 0 || offset + static_cast<int64_t>(bytes.size()) > size_)
    return internal("'{}': {} bytes at {} were never appended", path_, bytes.size(), offset);
  return write_at(offset, bytes);
}

Status NewFile::commit() {
  if (::fsync(descriptor_) != 0) return write_failed(path_, errno);
  if (temporary_.empty()) {
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
    std::string name;
    const int linked = with_new_name(path_, name, [&](const char* target) {
      return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, target, AT_SYMLINK_FOLLOW);
    });
    if (linked != 0) return write_failed(path_, errno);
    temporary_ = std::move(name);
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return write_failed(path_, errno);
  temporary_.clear();
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);  // the name's durability; some file systems cannot, and the file itself is safe already
    ::close(folder);
  }
  return {};
}

}  // namespace memline

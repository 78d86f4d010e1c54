#include "base/process.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "base/size.h"

namespace memline {
namespace {

// Reads from the start of an open file into `buffer`. Empty on error.
std::string_view read_at_start(int descriptor, char* buffer, size_t capacity) noexcept {
  size_t size = 0;
  while (size < capacity) {
    const ssize_t got = ::pread(descriptor, buffer + size, capacity - size, static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<size_t>(got);
  }
  return {buffer, size};
}

std::string file_text(const std::string& path) {
  constexpr size_t kMost = 256 << 10;
  std::string text(kMost, '\0');
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  text.resize(read_at_start(descriptor, text.data(), text.size()).size());
  ::close(descriptor);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    if (end != 0) parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

bool lists(std::string_view comma_list, std::string_view word) {
  const auto words = split(comma_list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<int64_t> number(std::string_view text) noexcept {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

struct Mount {
  std::string root, point;  // the cgroup at `root` of the hierarchy is what one sees at `point`
};

// Where a controller's v1 hierarchy (or with "" the v2 hierarchy) is mounted: /proc/self/mountinfo, see proc(5).
std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view controller) {
  for (const std::string_view line : split(mountinfo, '\n')) {
    const auto fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 5 || fields.end() - dash < 4) continue;
    const std::string_view type = dash[1], options = dash[3];
    if (controller.empty() ? type == "cgroup2" : type == "cgroup" && lists(options, controller))
      return Mount{std::string(fields[3]), std::string(fields[4])};
  }
  return std::nullopt;
}

// The process's group in that hierarchy: /proc/self/cgroup.
std::string group_of(std::string_view cgroup, std::string_view controller) {
  for (const std::string_view line : split(cgroup, '\n')) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? line.substr(0, 3) == "0::" : lists(controllers, controller))
      return std::string(line.substr(second + 1));
  }
  return "/";
}

// The group's folder and those above it, up to the mount point.
std::vector<std::string> group_folders(const std::string& root, std::string_view controller) {
  const auto mount = find_mount(file_text(root + "/proc/self/mountinfo"), controller);
  if (!mount) return {};
  std::string group = group_of(file_text(root + "/proc/self/cgroup"), controller);
  if (mount->root != "/" && group.rfind(mount->root, 0) == 0) group.erase(0, mount->root.size());
  std::vector<std::string> folders;
  while (!group.empty() && group != "/") {
    folders.push_back(root + mount->point + group);
    group.erase(group.rfind('/'));
  }
  folders.push_back(root + mount->point);
  return folders;
}

int affinity_count() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(CPU_COUNT(&set), 1);
  return std::max(static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)), 1);
}

}  // namespace

int cpu_count(const std::string& root) {
  int64_t count = affinity_count();
  const auto limit = [&](std::optional<int64_t> quota, std::optional<int64_t> period) {
    if (quota && period && *quota > 0 && *period > 0) count = std::min(count, ceil_div(*quota, *period));
  };
  for (const std::string& folder : group_folders(root, "")) {
    const std::string text = file_text(folder + "/cpu.max");
    const auto parts = split(text, ' ');
    if (parts.size() == 2) limit(number(parts[0]), number(parts[1]));
  }
  for (const std::string& folder : group_folders(root, "cpu"))
    limit(number(file_text(folder + "/cpu.cfs_quota_us")), number(file_text(folder + "/cpu.cfs_period_us")));
  return static_cast<int>(std::max<int64_t>(count, 1));
}

int64_t memory_limit(const std::string& root) {
  const auto machine = proc_text::value_of(file_text(root + "/proc/meminfo"), "MemTotal:");
  int64_t least = machine ? saturating_mul(*machine, 1024) : 0;
  const auto limit = [&](std::optional<int64_t> bytes) {
    if (bytes && *bytes > 0 && (least == 0 || *bytes < least)) least = *bytes;
  };
  for (const std::string& folder : group_folders(root, "")) limit(number(file_text(folder + "/memory.max")));
  for (const std::string& folder : group_folders(root, "memory"))
    limit(number(file_text(folder + "/memory.limit_in_bytes")));
  return least;
}

std::optional<int64_t> throttled_periods(const std::string& root) {
  std::optional<int64_t> most;
  for (const std::string_view controller : {"", "cpu"})
    for (const std::string& folder : group_folders(root, controller))
      if (const auto periods = proc_text::value_of(file_text(folder + "/cpu.stat"), "nr_throttled"))
        most = std::max(most.value_or(0), *periods);
  return most;
}

namespace proc_text {

std::optional<int64_t> value_of(std::string_view text, std::string_view key) noexcept {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.substr(0, key.size()) != key) continue;
    line.remove_prefix(key.size());
    if (line.empty() || (line.front() != ' ' && line.front() != '\t')) continue;
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    return number(line.substr(0, line.find(' ')));
  }
  return std::nullopt;
}

std::optional<int64_t> minor_faults_of_stat(std::string_view text) noexcept {
  constexpr int kFieldsBetween = 7;  // state ppid pgrp session tty_nr tpgid flags
  size_t at = text.rfind(')');
  for (int field = 0; field <= kFieldsBetween && at != std::string_view::npos; ++field) at = text.find(' ', at + 1);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + 1);
  return number(rest.substr(0, rest.find(' ')));
}

}  // namespace proc_text

Result<MemoryMeter> MemoryMeter::open(const std::string& root) {
  MemoryMeter meter;
  const std::pair<int*, const char*> files[] = {{&meter.status_, "/proc/self/status"},
                                                {&meter.rollup_, "/proc/self/smaps_rollup"},
                                                {&meter.stat_, "/proc/self/stat"},
                                                {&meter.vmstat_, "/proc/vmstat"}};
  for (const auto& [descriptor, path] : files) {
    *descriptor = ::open((root + path).c_str(), O_RDONLY | O_CLOEXEC);
    if (*descriptor < 0) return io_error("'{}{}' cannot be read: {}", root, path, std::strerror(errno));
  }
  return meter;
}

MemoryMeter::~MemoryMeter() {
  for (const int descriptor : {status_, rollup_, stat_, vmstat_})
    if (descriptor >= 0) ::close(descriptor);
}

MemoryMeter::MemoryMeter(MemoryMeter&& other) noexcept { *this = std::move(other); }

MemoryMeter& MemoryMeter::operator=(MemoryMeter&& other) noexcept {
  std::swap(status_, other.status_);
  std::swap(rollup_, other.rollup_);
  std::swap(stat_, other.stat_);
  std::swap(vmstat_, other.vmstat_);
  return *this;
}

bool MemoryMeter::read(MemoryReading& reading) const noexcept {
  char buffer[16384];
  const auto read = [&](int descriptor) { return read_at_start(descriptor, buffer, sizeof buffer); };
  const auto peak = proc_text::value_of(read(status_), "VmHWM:");
  const auto resident = proc_text::value_of(read(rollup_), "Rss:");
  const auto faults = proc_text::minor_faults_of_stat(read(stat_));
  const std::string_view vmstat = read(vmstat_);
  const auto background = proc_text::value_of(vmstat, "pgsteal_kswapd");
  const auto direct = proc_text::value_of(vmstat, "pgsteal_direct");
  if (!peak || !resident || !faults || !background || !direct) return false;
  reading = {*resident * 1024, *peak * 1024, *faults, *background + *direct};
  return true;
}

}  // namespace memline

// What this process may use (CPUs, memory) and what it uses (resident memory, page faults), from /proc and the cgroups.
//   * Limits hold for cgroup v1 and v2, at every level from the process's own group up to the mount.
//   * `root` is put before every path, so that tests can bring a /proc and /sys of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace memline {

// The CPUs this process may use at once: the smaller of its affinity and its cgroups' quota rounded up; at least 1.
int cpu_count(const std::string& root = "");

// The memory this process may use: the smallest limit of its cgroups, at most the machine's memory. 0 when neither
// can be read.
int64_t memory_limit(const std::string& root = "");

// How often a quota of its cgroups has stopped this process and those beside it: nr_throttled of cpu.stat, the largest
// on the way up. nullopt where no group says.
std::optional<int64_t> throttled_periods(const std::string& root = "");

struct MemoryReading {
  int64_t resident_bytes = 0;   // Rss of smaps_rollup: exact
  int64_t peak_bytes = 0;       // VmHWM
  int64_t minor_faults = 0;     // of all threads
  int64_t reclaimed_pages = 0;  // by the whole machine: a measurement during which it grew says nothing
};

// Reads MemoryReadings through files that stay open: read() takes no memory from the allocator, so measuring changes
// nothing.
class MemoryMeter {
 public:
  static Result<MemoryMeter> open(const std::string& root = "");
  ~MemoryMeter();
  MemoryMeter(MemoryMeter&& other) noexcept;
  MemoryMeter& operator=(MemoryMeter&& other) noexcept;

  // False when /proc gave something unreadable.
  bool read(MemoryReading& reading) const noexcept;

 private:
  MemoryMeter() = default;
  int status_ = -1, rollup_ = -1, stat_ = -1, vmstat_ = -1;
};

// The parsers behind it. nullopt when the text does not have the key, or a number behind it.
namespace proc_text {
std::optional<int64_t> value_of(std::string_view text,
                                std::string_view key) noexcept;  // "VmHWM:\t 1960 kB" -> 1960; "pgsteal_kswapd 7" -> 7
std::optional<int64_t> minor_faults_of_stat(std::string_view text) noexcept;  // the 10th field; names may hold ") ("
}  // namespace proc_text

}  // namespace memline

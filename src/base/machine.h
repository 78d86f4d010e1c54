// What decides whether timings on this machine can be trusted: the CPU, its clocks and their governor, throttling, huge
// pages, quotas. Read from /proc and /sys; what cannot be read there stays empty.
//   * `root` is put before every path, so that tests can bring a /proc and /sys of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace memline {

struct Machine {
  std::string cpu_name;
  std::set<std::string> cpu_flags;
  int cpus = 0;         // that run
  int usable_cpus = 0;  // by this process: affinity and quota
  bool is_virtual = false;
  std::optional<bool> smt;  // two threads a core

  std::set<std::string> governors;            // "performance"; one for each CPU that differs
  std::set<std::string> energy_preferences;   // "balance_power"
  std::optional<int64_t> limit_khz, top_khz;  // the slowest CPU's limit now, and what its hardware could
  std::optional<bool> boost;
  std::optional<int64_t> thermal_throttles;  // since the start of the system, all cores
  std::optional<int64_t> quota_throttles;    // since the start of the cgroup
  std::optional<double> load;                // running processes, over the last minute

  std::string huge_pages;  // always, madvise, never
  int64_t memory_bytes = 0, usable_memory_bytes = 0;
  std::optional<int64_t> available_bytes;
};

Machine read_machine(const std::string& root = "");

}  // namespace memline

#include "cli/diagnosis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/size.h"

namespace memline::cli {
namespace {

Finding cpu_level(const Machine& machine, const std::string& level) {
  const std::string name = machine.cpu_name.empty() ? "this CPU" : machine.cpu_name;
  if (level.empty())
    return {"cpu_level", Health::warning, name + ", below avx2", "engines need a CPU with AVX2 and FMA"};
  const bool bf16 = level == "avx512_bf16" || level == "amx";
  return {"cpu_level", Health::ok, fmt::format("{}, {}", name, level),
          bf16 ? "it multiplies in bf16: --precision bf16 is worth a try" : ""};
}

// A CPU that has tiles which this process may not use: an old kernel, or a container's filter.
Finding tiles(const Machine& machine, const std::string& level) {
  const bool has = machine.cpu_flags.contains("amx_tile") && machine.cpu_flags.contains("amx_bf16");
  if (!has) return {"amx", Health::ok, "the CPU has none", ""};
  if (level == "amx") return {"amx", Health::ok, "present, and this process may use it", ""};
  return {"amx", Health::warning, "present, but this process may not use it",
          "needs Linux 5.16 or newer, and a container that lets arch_prctl(ARCH_REQ_XCOMP_PERM) through"};
}

Finding governor(const Machine& machine) {
  if (machine.governors.empty())
    return {"governor", Health::unknown, "not visible",
            machine.is_virtual ? "a virtual machine's clocks are its host's: look there" : ""};
  const std::string found = fmt::format("{}", fmt::join(machine.governors, ", "));
  const bool best = machine.governors == std::set<std::string>{"performance"};
  // Drivers that choose clocks themselves call it powersave and go by the preference.
  const bool by_preference = machine.governors == std::set<std::string>{"powersave"} &&
                             machine.energy_preferences == std::set<std::string>{"performance"};
  if (best || by_preference) return {"governor", Health::ok, found, ""};
  return {"governor", Health::warning, found,
          "clocks follow the load, so short timings are slow ones: cpupower frequency-set -g performance"};
}

Finding energy_preference(const Machine& machine) {
  if (machine.energy_preferences.empty()) return {"energy_preference", Health::unknown, "not visible", ""};
  const std::string found = fmt::format("{}", fmt::join(machine.energy_preferences, ", "));
  const bool saves = std::ranges::any_of(machine.energy_preferences, [](const std::string& preference) {
    return preference.find("power") == 0 || preference.find("balance_power") == 0;
  });
  if (!saves) return {"energy_preference", Health::ok, found, ""};
  return {
      "energy_preference", Health::warning, found,
      "the CPU prefers saving: echo performance > .../cpufreq/energy_performance_preference, or another power profile"};
}

Finding clock_limit(const Machine& machine) {
  if (!machine.limit_khz || !machine.top_khz || *machine.top_khz <= 0)
    return {"clock_limit", Health::unknown, "not visible", ""};
  const std::string found = fmt::format("{:.2f} of {:.2f} GHz", static_cast<double>(*machine.limit_khz) / 1e6,
                                        static_cast<double>(*machine.top_khz) / 1e6);
  if (*machine.limit_khz * 100 >= *machine.top_khz * 99) return {"clock_limit", Health::ok, found, ""};
  return {"clock_limit", Health::warning, found,
          "clocks are held below what the CPU can: raise scaling_max_freq, or leave the power mode that lowers it"};
}

Finding boost(const Machine& machine) {
  if (!machine.boost) return {"boost", Health::unknown, "not visible", ""};
  if (*machine.boost) return {"boost", Health::ok, "on", ""};
  return {"boost", Health::ok, "off", "steady, and slower than production if that has it on: tune as it will run"};
}

Finding thermal(const Machine& machine) {
  if (!machine.thermal_throttles) return {"thermal_throttling", Health::unknown, "not visible", ""};
  const std::string found = fmt::format("{} times since the start", *machine.thermal_throttles);
  if (*machine.thermal_throttles == 0) return {"thermal_throttling", Health::ok, found, ""};
  return {"thermal_throttling", Health::warning, found,
          "the CPU has slowed itself down for heat: look at its cooling, let it cool, and see whether the count rises"};
}

Finding quota(const Machine& machine) {
  std::string found = fmt::format("{} of {} CPUs", machine.usable_cpus, machine.cpus);
  if (machine.quota_throttles) found += fmt::format(", stopped {} times by a quota", *machine.quota_throttles);
  if (machine.quota_throttles.value_or(0) == 0) return {"cpu_quota", Health::ok, found, ""};
  return {"cpu_quota", Health::warning, found,
          "a quota stops threads in the midst of a timing: pin the container to whole CPUs (cpuset) while tuning"};
}

Finding load(const Machine& machine) {
  if (!machine.load) return {"load", Health::unknown, "not visible", ""};
  const std::string found = fmt::format("{:.1f} running on {} CPUs", *machine.load, machine.cpus);
  if (*machine.load <= 0.25 * std::max(machine.cpus, 1)) return {"load", Health::ok, found, ""};
  return {"load", Health::warning, found,
          "others are at work and timings will be noisy: tune when the machine is quiet"};
}

Finding memory(const Machine& machine) {
  std::string found =
      fmt::format("{} usable of {}", format_size(machine.usable_memory_bytes), format_size(machine.memory_bytes));
  if (machine.available_bytes) found += fmt::format(", {} free", format_size(*machine.available_bytes));
  if (machine.usable_memory_bytes <= 0) return {"memory", Health::unknown, "not visible", ""};
  return {"memory", Health::ok, found,
          machine.usable_memory_bytes < machine.memory_bytes
              ? "a cgroup draws the limit: --memory-total takes it as the whole process's line"
              : ""};
}

Finding huge_pages(const Machine& machine) {
  if (machine.huge_pages.empty()) return {"huge_pages", Health::unknown, "not visible", ""};
  if (machine.huge_pages != "never") return {"huge_pages", Health::ok, machine.huge_pages, ""};
  return {"huge_pages", Health::warning, "never",
          "arenas and weights stay in 4 KiB pages: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
}

}  // namespace

std::string_view health_text(Health health) {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::warning:
      return "warning";
    case Health::unknown:
      return "unknown";
  }
  return "";
}

std::vector<Finding> diagnose(const Machine& machine, const std::string& level) {
  return {cpu_level(machine, level),
          tiles(machine, level),
          governor(machine),
          energy_preference(machine),
          clock_limit(machine),
          boost(machine),
          thermal(machine),
          quota(machine),
          load(machine),
          memory(machine),
          huge_pages(machine)};
}

bool is_ready(const std::vector<Finding>& findings) {
  return std::ranges::none_of(findings, [](const Finding& finding) { return finding.health == Health::warning; });
}

}  // namespace memline::cli

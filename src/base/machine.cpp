#include "base/machine.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/process.h"

namespace memline {
namespace {

// The whole file without the end of its last line; empty when there is none.
std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::optional<int64_t> number_of(const std::filesystem::path& path) {
  const std::string text = text_of(path);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && !text.empty() && end == text.data() + text.size() ? std::optional(value)
                                                                                   : std::nullopt;
}

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \t"), text.size());
    if (end > 0) words.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// "model name\t: Intel(R) Xeon(R)", "flags\t\t: fpu vme": of the first processor.
void read_cpuinfo(const std::string& root, Machine& machine) {
  std::ifstream file(root + "/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(0, std::min(line.find_first_of("\t:"), colon));
    const std::string value = colon + 2 <= line.size() ? line.substr(colon + 2) : "";
    if (key == "processor") ++machine.cpus;
    if (key == "model name" && machine.cpu_name.empty()) machine.cpu_name = value;
    if (key == "flags" && machine.cpu_flags.empty()) machine.cpu_flags = words_of(value);
  }
  machine.is_virtual = machine.cpu_flags.contains("hypervisor");
}

std::vector<std::filesystem::path> cpu_folders(const std::string& root) {
  std::vector<std::filesystem::path> folders;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/sys/devices/system/cpu", error)) {
    const std::string name = entry.path().filename();
    if (name.size() > 3 && name.starts_with("cpu") && name[3] >= '0' && name[3] <= '9') folders.push_back(entry.path());
  }
  return folders;
}

void read_clocks(const std::vector<std::filesystem::path>& cpus, Machine& machine) {
  for (const std::filesystem::path& cpu : cpus) {
    const std::string governor = text_of(cpu / "cpufreq/scaling_governor");
    const std::string preference = text_of(cpu / "cpufreq/energy_performance_preference");
    if (!governor.empty()) machine.governors.insert(governor);
    if (!preference.empty()) machine.energy_preferences.insert(preference);
    const auto limit = number_of(cpu / "cpufreq/scaling_max_freq"), top = number_of(cpu / "cpufreq/cpuinfo_max_freq");
    if (limit && top && (!machine.limit_khz || *limit * *machine.top_khz < *machine.limit_khz * *top)) {
      machine.limit_khz = limit;
      machine.top_khz = top;
    }
    for (const char* counter : {"thermal_throttle/core_throttle_count", "thermal_throttle/package_throttle_count"})
      if (const auto count = number_of(cpu / counter))
        machine.thermal_throttles = machine.thermal_throttles.value_or(0) + *count;
  }
}

std::optional<bool> read_boost(const std::string& root) {
  const std::string cpu = root + "/sys/devices/system/cpu/";
  if (const auto no_turbo = number_of(cpu + "intel_pstate/no_turbo")) return *no_turbo == 0;
  if (const auto boost = number_of(cpu + "cpufreq/boost")) return *boost != 0;
  return std::nullopt;
}

// "always [madvise] never": the word in brackets.
std::string bracketed(const std::string& text) {
  const size_t open = text.find('['), close = text.find(']', open);
  return open == std::string::npos || close == std::string::npos ? "" : text.substr(open + 1, close - open - 1);
}

}  // namespace

Machine read_machine(const std::string& root) {
  Machine machine;
  read_cpuinfo(root, machine);
  machine.usable_cpus = cpu_count(root);
  read_clocks(cpu_folders(root), machine);
  machine.boost = read_boost(root);
  if (const auto smt = number_of(root + "/sys/devices/system/cpu/smt/active")) machine.smt = *smt != 0;
  machine.quota_throttles = throttled_periods(root);
  const std::string load = text_of(root + "/proc/loadavg");
  double minute = 0;
  if (std::from_chars(load.data(), load.data() + load.size(), minute).ec == std::errc()) machine.load = minute;
  machine.huge_pages = bracketed(text_of(root + "/sys/kernel/mm/transparent_hugepage/enabled"));
  const std::string meminfo = text_of(root + "/proc/meminfo");
  machine.memory_bytes = proc_text::value_of(meminfo, "MemTotal:").value_or(0) * 1024;
  machine.usable_memory_bytes = memory_limit(root);
  if (const auto available = proc_text::value_of(meminfo, "MemAvailable:")) machine.available_bytes = *available * 1024;
  return machine;
}

}  // namespace memline

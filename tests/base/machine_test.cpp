// What read_machine() finds in a /proc and /sys of the test's own.
#include "base/machine.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace memline {
namespace {

class MachineTest : public testing::Test {
 protected:
  MachineTest() {
    char name[] = "/tmp/memline_machine_XXXXXX";
    root_ = ::mkdtemp(name);
  }
  ~MachineTest() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text << '\n';
  }
  void cpu_file(int cpu, const std::string& file, const std::string& text) {
    write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + file, text);
  }
  std::string root_;
};

TEST_F(MachineTest, ALaptopWithMixedClocks) {
  write("/proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz\nflags\t\t: fpu avx2 fma\n\nprocessor\t: 1\nmodel name\t: "
        "Other\nflags\t\t: fpu");
  write("/proc/meminfo", "MemTotal:       1000 kB\nMemAvailable:    400 kB");
  write("/proc/loadavg", "1.25 0.5 0.2 1/200 4242");
  write("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  write("/sys/devices/system/cpu/intel_pstate/no_turbo", "1");
  write("/sys/devices/system/cpu/smt/active", "1");
  write("/sys/devices/system/cpu/cpufreq/not_a_cpu", "1");
  cpu_file(0, "cpufreq/scaling_governor", "powersave");
  cpu_file(1, "cpufreq/scaling_governor", "performance");
  cpu_file(0, "cpufreq/energy_performance_preference", "balance_power");
  cpu_file(0, "cpufreq/scaling_max_freq", "4000000");
  cpu_file(0, "cpufreq/cpuinfo_max_freq", "4000000");
  cpu_file(1, "cpufreq/scaling_max_freq", "1500000");
  cpu_file(1, "cpufreq/cpuinfo_max_freq", "3000000");
  cpu_file(0, "thermal_throttle/core_throttle_count", "3");
  cpu_file(1, "thermal_throttle/package_throttle_count", "4");

  const Machine machine = read_machine(root_);
  EXPECT_EQ(machine.cpu_name, "Some CPU @ 2.0GHz");
  EXPECT_EQ(machine.cpu_flags, (std::set<std::string>{"fpu", "avx2", "fma"}));
  EXPECT_EQ(machine.cpus, 2);
  EXPECT_FALSE(machine.is_virtual);
  EXPECT_EQ(machine.governors, (std::set<std::string>{"performance", "powersave"}));
  EXPECT_EQ(machine.energy_preferences, (std::set<std::string>{"balance_power"}));
  EXPECT_EQ(machine.limit_khz, 1500000);
  EXPECT_EQ(machine.top_khz, 3000000);
  EXPECT_EQ(machine.boost, false);
  EXPECT_EQ(machine.smt, true);
  EXPECT_EQ(machine.thermal_throttles, 7);
  EXPECT_EQ(machine.load, 1.25);
  EXPECT_EQ(machine.huge_pages, "madvise");
  EXPECT_EQ(machine.memory_bytes, 1000 * 1024);
  EXPECT_EQ(machine.available_bytes, 400 * 1024);
}

TEST_F(MachineTest, NothingIsThere) {
  const Machine machine = read_machine(root_);
  EXPECT_EQ(machine.cpu_name, "");
  EXPECT_TRUE(machine.governors.empty());
  EXPECT_FALSE(machine.limit_khz || machine.boost || machine.smt || machine.thermal_throttles || machine.load);
  EXPECT_FALSE(machine.quota_throttles);
  EXPECT_EQ(machine.huge_pages, "");
}

TEST_F(MachineTest, FilesThatSayNothingUseful) {
  write("/proc/cpuinfo", "flags\nprocessor\n:\n: :\n");
  write("/proc/loadavg", "much");
  write("/sys/kernel/mm/transparent_hugepage/enabled", "]always[");
  cpu_file(0, "cpufreq/scaling_max_freq", "fast");
  cpu_file(0, "cpufreq/cpuinfo_max_freq", "");
  const Machine machine = read_machine(root_);
  EXPECT_EQ(machine.cpus, 0);
  EXPECT_FALSE(machine.load || machine.limit_khz);
  EXPECT_EQ(machine.huge_pages, "");
}

TEST_F(MachineTest, AQuotaThatStopsTheGroupAbove) {
  write("/proc/self/cgroup", "0::/pod/box");
  write("/proc/self/mountinfo", "30 23 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw");
  write("/sys/fs/cgroup/pod/box/cpu.stat", "usage_usec 5\nnr_throttled 0");
  write("/sys/fs/cgroup/pod/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 12\nthrottled_usec 7");
  EXPECT_EQ(read_machine(root_).quota_throttles, 12);
}

}  // namespace
}  // namespace memline

#include "base/process.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <filesystem>
#include <fstream>

namespace memline {
namespace {

// A /proc and /sys of our own, deleted at the end.
class FakeRoot : public testing::Test {
 protected:
  FakeRoot() {
    char name[] = "/tmp/memline_process_XXXXXX";
    root_ = ::mkdtemp(name);
  }
  ~FakeRoot() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  void machine_with(int64_t kib) {
    write("/proc/meminfo", "MemTotal:       " + std::to_string(kib) + " kB\nMemFree: 1 kB\n");
  }
  void version_2(const std::string& group, const std::string& mount_root = "/") {
    write("/proc/self/cgroup", "0::" + group + "\n");
    write("/proc/self/mountinfo",
          "30 23 0:27 " + mount_root + " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
  }
  void version_1(const std::string& group) {
    write("/proc/self/cgroup", "5:cpu,cpuacct:" + group + "\n4:memory:" + group + "\n0::/\n");
    write("/proc/self/mountinfo",
          "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
          "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
          "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  }
  std::string root_;
};

TEST_F(FakeRoot, WithoutCgroupsTheMachinesMemoryIsTheLimit) {
  machine_with(1000);
  EXPECT_EQ(memory_limit(root_), 1000 * 1024);
  EXPECT_EQ(cpu_count(root_), cpu_count());
}

TEST_F(FakeRoot, SmallestMemoryLimitUpTheTreeOfVersion2Holds) {
  machine_with(1 << 20);
  version_2("/pod/container");
  write("/sys/fs/cgroup/pod/container/memory.max", "max\n");
  write("/sys/fs/cgroup/pod/memory.max", "104857600\n");
  write("/sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(memory_limit(root_), 100 << 20);
}

TEST_F(FakeRoot, MemoryLimitOfVersion1HoldsAndUnlimitedMeansTheMachine) {
  machine_with(1 << 20);
  version_1("/docker/abc");
  write("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_limit(root_), int64_t{1} << 30);
  write("/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "52428800\n");
  EXPECT_EQ(memory_limit(root_), 50 << 20);
}

TEST_F(FakeRoot, GroupIsFoundBelowAMountThatShowsOnlyPartOfTheTree) {
  machine_with(1 << 20);
  version_2("/docker/abc/inner", "/docker/abc");
  write("/sys/fs/cgroup/inner/memory.max", "4194304\n");
  EXPECT_EQ(memory_limit(root_), 4 << 20);
}

TEST_F(FakeRoot, CpuQuotaIsRoundedUpAndNeverBelowOne) {
  version_2("/pod");
  write("/sys/fs/cgroup/pod/cpu.max", "100 100000\n");
  EXPECT_EQ(cpu_count(root_), 1);
  write("/sys/fs/cgroup/pod/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_count(root_), cpu_count());
}

TEST_F(FakeRoot, CpuQuotaOfVersion1Holds) {
  version_1("/docker");
  write("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "50000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_count(root_), 1);
  write("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cpu_count(root_), cpu_count());
}

TEST_F(FakeRoot, MeterReadsItsFourFiles) {
  write("/proc/self/status", "Name:\tx\nVmPeak:\t   9 kB\nVmHWM:\t    1960 kB\nVmRSS:\t    1672 kB\n");
  write("/proc/self/smaps_rollup",
        "5602dc15b000-7ffc36803000 ---p 00000000 00:00 0    [rollup]\nRss:                1672 kB\nPss:   1 kB\n");
  write("/proc/self/stat", "26294 (a) b (c)) R 26288 26288 4837 0 -1 4194304 114 7 0 0 0 0\n");
  write("/proc/vmstat", "nr_free_pages 5\npgsteal_kswapd 30\npgsteal_direct 4\npgsteal_direct_extra 9\n");
  const auto meter = MemoryMeter::open(root_);
  ASSERT_TRUE(meter);
  MemoryReading reading;
  ASSERT_TRUE(meter->read(reading));
  EXPECT_EQ(reading.peak_bytes, 1960 * 1024);
  EXPECT_EQ(reading.resident_bytes, 1672 * 1024);
  EXPECT_EQ(reading.minor_faults, 114);
  EXPECT_EQ(reading.reclaimed_pages, 34);
  write("/proc/self/stat", "26294 (a\n");
  EXPECT_FALSE(meter->read(reading));
}

TEST_F(FakeRoot, MeterNamesTheFileItCannotRead) {
  const auto meter = MemoryMeter::open(root_);
  ASSERT_FALSE(meter);
  EXPECT_NE(meter.error().message.find("/proc/self/status"), std::string::npos);
}

TEST(Process, MeterSeesPagesThatThisProcessTouches) {
  const auto meter = MemoryMeter::open();
  ASSERT_TRUE(meter) << meter.error().message;
  constexpr size_t kBytes = 8 << 20;
  MemoryReading before, after;
  ASSERT_TRUE(meter->read(before));
  char* const pages =
      static_cast<char*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ::madvise(pages, kBytes, MADV_NOHUGEPAGE);
  for (size_t at = 0; at < kBytes; at += 4096) static_cast<volatile char*>(pages)[at] = 1;
  ASSERT_TRUE(meter->read(after));
  ::munmap(pages, kBytes);
  EXPECT_GE(after.resident_bytes - before.resident_bytes, static_cast<int64_t>(kBytes) - 65536);
  EXPECT_GE(after.minor_faults - before.minor_faults, static_cast<int64_t>(kBytes) / 4096);
  EXPECT_GE(after.peak_bytes, after.resident_bytes - (1 << 20));
}

TEST(Process, ReadingTwiceTouchesNoNewPage) {
  const auto meter = MemoryMeter::open();
  ASSERT_TRUE(meter);
  MemoryReading first, second;
  ASSERT_TRUE(meter->read(first));
  ASSERT_TRUE(meter->read(first));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(meter->read(second));
  EXPECT_EQ(second.minor_faults, first.minor_faults);
}

TEST(Process, ThisMachineHasACpuAndMemory) {
  EXPECT_GE(cpu_count(), 1);
  EXPECT_GT(memory_limit(), 1 << 20);
}

}  // namespace
}  // namespace memline

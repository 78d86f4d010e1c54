// memline doctor: what it makes of a machine, and that it answers on this one.
#include "cli/diagnosis.h"
#include "cli/program.h"

namespace memline::cli {
namespace {

class Doctor : public test::ProgramTest {};

Machine quiet_server() {
  Machine machine;
  machine.cpu_name = "Some CPU";
  machine.cpu_flags = {"avx2", "amx_tile", "amx_bf16"};
  machine.cpus = machine.usable_cpus = 8;
  machine.governors = {"performance"};
  machine.energy_preferences = {"performance"};
  machine.limit_khz = machine.top_khz = 3'000'000;
  machine.boost = true;
  machine.thermal_throttles = 0;
  machine.quota_throttles = 0;
  machine.load = 0.1;
  machine.huge_pages = "madvise";
  machine.memory_bytes = machine.usable_memory_bytes = int64_t{8} << 30;
  return machine;
}

Finding finding_of(const Machine& machine, const std::string& name, const std::string& level = "amx") {
  for (Finding& finding : diagnose(machine, level))
    if (finding.name == name) return std::move(finding);
  ADD_FAILURE() << "no finding " << name;
  return {};
}

TEST(Diagnosis, AQuietServerIsReady) {
  const auto findings = diagnose(quiet_server(), "amx");
  EXPECT_TRUE(is_ready(findings));
  for (const Finding& finding : findings) EXPECT_EQ(finding.health, Health::ok) << finding.name;
}

TEST(Diagnosis, EachTroubleIsAWarningWithAdvice) {
  const auto expect_warning = [](const Machine& machine, const std::string& name, const std::string& level = "amx") {
    const Finding finding = finding_of(machine, name, level);
    EXPECT_EQ(finding.health, Health::warning) << name << ": " << finding.found;
    EXPECT_NE(finding.advice, "") << name;
    EXPECT_FALSE(is_ready(diagnose(machine, level))) << name;
  };
  Machine machine = quiet_server();
  expect_warning(machine, "cpu_level", "");
  expect_warning(machine, "amx", "avx512_bf16");
  machine.governors = {"performance", "schedutil"};
  expect_warning(machine, "governor");
  machine = quiet_server();
  machine.energy_preferences = {"balance_power"};
  expect_warning(machine, "energy_preference");
  machine = quiet_server();
  machine.limit_khz = 1'200'000;
  expect_warning(machine, "clock_limit");
  machine = quiet_server();
  machine.thermal_throttles = 1;
  expect_warning(machine, "thermal_throttling");
  machine = quiet_server();
  machine.quota_throttles = 40;
  expect_warning(machine, "cpu_quota");
  machine = quiet_server();
  machine.load = 6;
  expect_warning(machine, "load");
  machine = quiet_server();
  machine.huge_pages = "never";
  expect_warning(machine, "huge_pages");
}

TEST(Diagnosis, WhatCannotBeSeenIsUnknownAndNoWarning) {
  Machine machine;
  machine.cpu_flags = {"hypervisor"};
  machine.is_virtual = true;
  EXPECT_EQ(finding_of(machine, "governor", "avx2").health, Health::unknown);
  EXPECT_THAT(finding_of(machine, "governor", "avx2").advice, testing::HasSubstr("host"));
  EXPECT_TRUE(is_ready(diagnose(machine, "avx2")));
}

TEST(Diagnosis, DriversThatGoByThePreferenceMayCallItPowersave) {
  Machine machine = quiet_server();
  machine.governors = {"powersave"};
  EXPECT_EQ(finding_of(machine, "governor").health, Health::ok);
  machine.energy_preferences = {"balance_performance"};
  EXPECT_EQ(finding_of(machine, "governor").health, Health::warning);
}

TEST_F(Doctor, AnswersHere) {
  const auto json = json_of({"doctor"});
  bool warned = false;
  for (const auto& check : json["checks"]) {
    EXPECT_THAT((std::vector<std::string>{"ok", "warning", "unknown"}), testing::Contains(check["state"]));
    EXPECT_NE(check["found"], "") << check["name"];
    warned |= check["state"] == "warning";
  }
  EXPECT_EQ(json["ready"], !warned);
  EXPECT_EQ(json["checks"].size(), 11u);
  const test::Outcome text = run({"doctor"});
  EXPECT_EQ(text.code, test::kOk);
  EXPECT_THAT(text.out, testing::HasSubstr("huge_pages"));
  expect_refused({"doctor", "--apply-everything"}, test::kInvalidArgument, "invalid_argument");
}

}  // namespace
}  // namespace memline::cli

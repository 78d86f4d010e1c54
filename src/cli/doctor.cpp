// memline doctor: is this machine ready to tune? Reads /proc and /sys, reports and advises; changes nothing.
#include <fmt/format.h>

#include "base/result.h"
#include "cli/command.h"
#include "cli/diagnosis.h"
#include "memline/tools.hpp"

namespace memline::cli {
namespace {

Result<Report> run() {
  const Machine machine = read_machine();
  const auto level = tools::best_cpu_level();
  const std::vector<Finding> findings = diagnose(machine, level ? *level : "");
  Report report;
  report.json["ready"] = is_ready(findings);
  report.json["cpu"] = machine.cpu_name;
  report.json["cpu_level"] = level ? Json(*level) : Json(nullptr);
  report.json["virtual"] = machine.is_virtual;
  report.json["checks"] = Json::array();
  for (const Finding& finding : findings) {
    report.json["checks"].push_back({{"name", finding.name},
                                     {"state", health_text(finding.health)},
                                     {"found", finding.found},
                                     {"advice", finding.advice}});
    report.text += fmt::format("{:<9} {:<20} {}\n", health_text(finding.health), finding.name, finding.found);
    if (!finding.advice.empty()) report.text += fmt::format("{:<30} -> {}\n", "", finding.advice);
  }
  report.text += is_ready(findings) ? "ready to tune\n" : "not ready to tune: see the warnings\n";
  return report;
}

}  // namespace

void add_doctor(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("doctor", "is this machine ready to tune? reports and advises, changes nothing");
  add_command(app, command,
              "  memline doctor\n  memline doctor --json | jq '.checks[] | select(.state == \"warning\")'",
              [] { return run(); });
}

}  // namespace memline::cli

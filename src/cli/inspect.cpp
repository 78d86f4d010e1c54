// memline inspect ENGINE: nodes, tactics, the passes that fired, the bill.
#include <fmt/format.h>

#include "base/result.h"
#include "base/size.h"
#include "cli/command.h"
#include "cli/engine_json.h"

namespace memline::cli {
namespace {

struct Flags {
  std::string engine, svg;
};

Json steps_json(const tools::EngineReport& engine) {
  Json steps = Json::array();
  for (const tools::StepReport& step : engine.steps)
    steps.push_back({{"name", step.name},
                     {"op", step.op},
                     {"tactic", step.tactic},
                     {"call", step.call},
                     {"why", step.why},
                     {"flops", step.flops},
                     {"packed_bytes", step.packed_bytes},
                     {"workspace_bytes", step.workspace_bytes},
                     {"chosen_ns", step.chosen_ns}});
  return steps;
}

Json buffers_json(const tools::EngineReport& engine) {
  Json buffers = Json::array();
  for (const tools::BufferReport& buffer : engine.buffers)
    buffers.push_back({{"name", buffer.name},
                       {"region", buffer.region},
                       {"bytes", buffer.bytes},
                       {"offset", buffer.offset},
                       {"first_step", buffer.first_step},
                       {"last_step", buffer.last_step}});
  return buffers;
}

Result<Report> run(const Flags& flags) {
  MEML_TRY(const Engine engine, Engine::load(flags.engine));
  MEML_TRY(const tools::EngineReport inspected, tools::inspect(engine));
  Report report;
  add_bill(report.json, inspected.bill);
  report.json["target"] = inspected.target;
  report.json["threads"] = inspected.threads;
  report.json["about"] = inspected.about;
  report.json["inputs"] = ports_json(inspected.inputs);
  report.json["outputs"] = ports_json(inspected.outputs);
  report.json["steps"] = steps_json(inspected);
  report.json["buffers"] = buffers_json(inspected);

  report.text = fmt::format("target {}, {} threads\n", inspected.target, inspected.threads);
  for (const PortInfo& port : inspected.inputs) report.text += "input  " + port_text(port) + "\n";
  for (const PortInfo& port : inspected.outputs) report.text += "output " + port_text(port) + "\n";
  for (const auto& [key, text] : inspected.about) report.text += fmt::format("{}: {}\n", key, text);
  for (size_t i = 0; i < inspected.steps.size(); ++i) {
    const tools::StepReport& step = inspected.steps[i];
    report.text += fmt::format("{:>4}  {:<28} {}\n        {}\n", i, step.tactic, step.name, step.call);
    if (!step.why.empty()) report.text += fmt::format("        because {}\n", step.why);
  }
  report.text += tools::bill_text(inspected);
  return report;
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("inspect", "what is in an engine: steps, tactics, passes, bill");
  command->add_option("engine", flags->engine, "an engine file")->required();
  add_command(app, command,
              "  memline inspect person-seg.mline\n  memline inspect person-seg.mline --json | jq '.steps[].tactic'",
              [flags] { return run(*flags); });
}

}  // namespace memline::cli

#include "api/tools_report.h"

#include <fmt/format.h>

#include "api/engine.h"
#include "graph/text.h"
#include "memory/chart.h"

namespace memline::api {
namespace {

int64_t activation_bytes(const engine::Step& step) {
  int64_t bytes = 0;
  for (const auto* operands : {&step.in, &step.out})
    for (const engine::Operand& operand : *operands)
      if (operand.present && operand.region != memory::Region::weights) bytes += operand.max_bytes;
  return bytes;
}

std::string_view region_name(memory::Region region) {
  switch (region) {
    case memory::Region::arena:
      return "arena";
    case memory::Region::weights:
      return "weights";
    case memory::Region::input:
      return "input";
    case memory::Region::output:
      return "output";
    case memory::Region::staging:
      return "staging";
  }
  return "";
}

std::string menu_text(const Menu& menu) {
  std::string text;
  for (const MenuNode& node : menu.nodes) {
    constexpr std::string_view kKinds[] = {"kernel", "view", "gather"};
    text += fmt::format("{} '{}' {}\n", kKinds[static_cast<size_t>(node.kind)], node.name, node.call.text());
    for (const Candidate& c : node.candidates)
      text += fmt::format("    {} {:.0f} ns, packed {}, workspace {}+{}/thread\n", c.tactic->name(), c.nanoseconds,
                          c.packed_bytes, c.workspace.shared, c.workspace.per_thread);
  }
  return text;
}

std::string schedule_text(const Schedule& schedule) {
  std::string text;
  for (size_t position = 0; position < schedule.order.size(); ++position) {
    const int32_t task = schedule.order[position];
    text += fmt::format("{} {} '{}'", position, schedule.candidate(task).tactic->name(),
                        schedule.menu->nodes[static_cast<size_t>(schedule.task(task).node)].name);
    if (schedule.in_place[static_cast<size_t>(task)] >= 0)
      text += fmt::format(" over input {}", schedule.in_place[static_cast<size_t>(task)]);
    text += "\n";
  }
  for (size_t b = 0; b < schedule.buffers.size(); ++b)
    text +=
        fmt::format("buffer '{}' {} bytes at {}, steps {} to {}\n", schedule.buffers[b].name, schedule.buffers[b].bytes,
                    schedule.plan.offsets[b], schedule.buffers[b].first_step, schedule.buffers[b].last_step);
  return text;
}

}  // namespace

tools::EngineReport report_of(const engine::Program& program, const std::string& target) {
  tools::EngineReport report;
  report.target = target;
  report.threads = program.threads;
  report.bill = public_bill(program);
  report.inputs = public_ports(program.inputs);
  report.outputs = public_ports(program.outputs);
  report.about = program.about;
  for (const engine::Block& block : program.blocks)
    for (const engine::Step& step : block.steps)
      report.steps.push_back({step.name, step.call.substr(0, step.call.find('(')), step.tactic, step.call, step.why,
                              step.flops, step.packed_bytes, step.workspace_bytes, activation_bytes(step),
                              step.chosen_ns});
  for (size_t b = 0; b < program.buffers.size(); ++b)
    report.buffers.push_back({program.buffers[b].name, std::string(region_name(program.buffers[b].region)),
                              program.buffers[b].bytes, program.buffer_offsets[b], program.buffers[b].first_step,
                              program.buffers[b].last_step});
  return report;
}

std::map<std::string, std::string> dumps_of(const Compiled& compiled) {
  return {{"graph", print(*compiled.graph)},
          {"menu", menu_text(*compiled.schedule.menu)},
          {"schedule", schedule_text(compiled.schedule)}};
}

}  // namespace memline::api

namespace memline::tools {

Result<EngineReport> inspect(const Engine& engine) {
  return api::report_of(engine.impl().engine->program(), engine.impl().engine->target());
}

}  // namespace memline::tools

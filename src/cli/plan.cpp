// memline plan MODEL.onnx|ENGINE.mline: the bill and the timeline; nothing is run and no device is needed.
#include <fmt/format.h>

#include <fstream>

#include "base/result.h"
#include "cli/build_options.h"
#include "cli/command.h"
#include "cli/engine_json.h"

namespace memline::cli {
namespace {

struct Flags {
  std::string model, svg;
  BuildFlags build;
};

Result<tools::BuildReport> plan_of(const Flags& flags) {
  if (flags.model.ends_with(".onnx")) {
    MEML_TRY(tools::BuildOptions options, build_options(flags.build));
    options.tune = "none";
    return tools::plan(flags.model, options);
  }
  MEML_TRY(const Engine engine, Engine::load(flags.model));
  tools::BuildReport report;
  MEML_TRY(report.engine, tools::inspect(engine));
  return report;
}

Result<Report> run(const Flags& flags) {
  MEML_TRY(const tools::BuildReport planned, plan_of(flags));
  Report report{report_json(planned, false), {}};
  const bool is_model = flags.model.ends_with(".onnx");
  report.json["exact"] = !is_model;
  report.text = build_text(planned, false);
  report.text += is_model ? (flags.build.timing_cache.empty()
                                 ? "the plan of --tune none; an engine's own plan is exact\n"
                                 : "the plan of the timing cache given; an engine's own plan is exact\n")
                          : "the engine's own plan: exact\n";
  if (!flags.svg.empty()) {
    std::ofstream file(flags.svg);
    file << tools::timeline_svg(planned.engine);
    file.close();
    if (!file) return io_error("'{}' cannot be written", flags.svg);
    report.json["svg"] = flags.svg;
    report.text += fmt::format("timeline: {}\n", flags.svg);
  }
  return report;
}

}  // namespace

void add_plan(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command =
      app.add_subcommand("plan", "the memory bill and timeline of a model or engine, before anything is allocated");
  command->add_option("model", flags->model, "an ONNX file or an engine")->required();
  command->add_option("--svg", flags->svg, "write the memory timeline here");
  add_build_flags(command, flags->build);
  add_command(app, command,
              "  memline plan person-seg.onnx --shape images=1x3x640x640 --memory 36MiB --svg timeline.svg",
              [flags] { return run(*flags); });
}

}  // namespace memline::cli

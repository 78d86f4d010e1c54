// memline build MODEL.onnx -o ENGINE.mline
#include <fmt/format.h>

#include <fstream>

#include "base/result.h"
#include "base/size.h"
#include "cli/build_options.h"
#include "cli/command.h"
#include "cli/engine_json.h"

namespace memline::cli {
namespace {

struct Flags {
  std::string model, output;
  BuildFlags build;
  bool explain = false;
  std::vector<std::string> dump;
};

Result<Report> run(const Flags& flags) {
  MEML_TRY(tools::BuildOptions options, build_options(flags.build));
  options.on_build_line = [](int64_t bytes) {
    print_ahead(fmt::format("the build's line  {:>9} {:>17} bytes", format_size(bytes), bytes));
  };
  MEML_TRY(const tools::BuildReport built, tools::build(flags.model, flags.output, options));
  Report report{report_json(built, flags.explain), build_text(built, flags.explain)};
  report.json["engine"] = flags.output;
  for (const std::string& name : flags.dump) {
    const auto dump = built.dumps.find(name);
    if (dump == built.dumps.end()) return invalid_argument("--dump: '{}' is not one of graph, menu, schedule", name);
    report.json["dump"][name] = dump->second;
    report.text += dump->second;
  }
  report.text += fmt::format("wrote {}\n", flags.output);
  return report;
}

}  // namespace

void add_build(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("build", "compile a model into an engine for this machine");
  command->add_option("model", flags->model, "an ONNX file")->required();
  command->add_option("-o,--output", flags->output, "the engine file to write")->required();
  command->add_flag("--explain", flags->explain,
                    "for each node: what was offered, its time, and why others were refused");
  command->add_option("--dump", flags->dump, "graph, menu, schedule: print a stage")->delimiter(',');
  add_build_flags(command, flags->build);
  add_command(app, command,
              "  memline build person-seg.onnx -o person-seg.mline --shape images=1x3x640x640 --memory 36MiB\n"
              "  memline build resnet50.onnx -o r50.mline --tune none --explain",
              [flags] { return run(*flags); });
}

}  // namespace memline::cli

// memline fit MODEL.onnx: latency against memory, and the least line that works.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/result.h"
#include "base/size.h"
#include "cli/build_options.h"
#include "cli/command.h"
#include "cli/engine_json.h"

namespace memline::cli {
namespace {

struct Flags {
  std::string model, svg;
  BuildFlags build;
  int points = 8, runs = 15;
};

Json point_json(const tools::FitPoint& point) {
  Json json = {{"line_bytes", point.line_bytes}};
  add_bill(json, point.bill);
  json["predicted_ms"] = point.predicted_ms;
  json["measured_ms"] = point.measured_ms > 0 ? Json(point.measured_ms) : Json(nullptr);
  return json;
}

std::string table(const tools::FitCurve& curve) {
  std::string text = fmt::format("{:>12} {:>12} {:>12} {:>12} {:>11} {:>11}\n", "line", "bill", "weights", "arena",
                                 "predicted", "measured");
  for (const tools::FitPoint& point : curve.points) {
    int64_t weights = 0;
    for (const BillEntry& entry : point.bill.entries)
      if (entry.name == "weights") weights = entry.bytes;
    const std::string measured = point.measured_ms > 0 ? fmt::format("{:.3f} ms", point.measured_ms) : "-";
    text += fmt::format("{:>12} {:>12} {:>12} {:>12} {:>8.3f} ms {:>11}\n", format_size(point.line_bytes),
                        format_size(point.bill.total_bytes), format_size(weights), format_size(point.bill.arena_bytes),
                        point.predicted_ms, measured);
  }
  return text + fmt::format("least line that works: {} bytes ({}); without a line: {} bytes ({})\n", curve.least_bytes,
                            format_size(curve.least_bytes), curve.roomy_bytes, format_size(curve.roomy_bytes));
}

Result<Report> run(const Flags& flags) {
  if (!flags.build.memory.empty() || !flags.build.memory_total.empty())
    return invalid_argument("--memory: fit draws its own lines, from the least that works to none");
  if (flags.build.plan != "fit") return invalid_argument("--plan: fit makes the plans that fit makes");
  tools::CurveOptions options{.points = flags.points, .runs = flags.runs};
  MEML_TRY(options.build, build_options(flags.build));
  MEML_TRY(const tools::FitCurve curve, tools::fit_curve(flags.model, options));
  Report report;
  report.json["least_bytes"] = curve.least_bytes;
  report.json["roomy_bytes"] = curve.roomy_bytes;
  report.json["points"] = Json::array();
  for (const tools::FitPoint& point : curve.points) report.json["points"].push_back(point_json(point));
  report.text = table(curve);
  if (!flags.svg.empty()) {
    std::ofstream file(flags.svg);
    file << tools::curve_svg(curve, std::filesystem::path(flags.model).filename());
    file.close();
    if (!file) return io_error("'{}' cannot be written", flags.svg);
    report.json["svg"] = flags.svg;
    report.text += fmt::format("curve: {}\n", flags.svg);
  }
  return report;
}

}  // namespace

void add_fit(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("fit", "latency against memory, and the least line that works");
  command->add_option("model", flags->model, "an ONNX file")->required();
  command->add_option("--points", flags->points, "lines between the least and none, 2 to 256")->capture_default_str();
  command->add_option("--runs", flags->runs, "runs of each plan, in turn; 0: nothing is run")->capture_default_str();
  command->add_option("--svg", flags->svg, "write the curve here");
  add_build_flags(command, flags->build);
  add_command(app, command,
              "  memline fit person-seg.onnx --shape images=1x3x640x640 --svg curve.svg\n"
              "  memline fit resnet50.onnx --points 16 --tune none --runs 0",
              [flags] { return run(*flags); });
}

}  // namespace memline::cli

// memline segment SOURCE --model MODEL.onnx|ENGINE.mline: objects and masks of pictures and videos.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/process.h"
#include "base/result.h"
#include "base/size.h"
#include "base/temporary_file.h"
#include "cli/build_options.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/engine_json.h"
#include "memline/vision.hpp"

namespace memline::cli {
namespace {

struct Flags {
  vision::SourceJob job;
  std::string model;
  std::vector<std::string> build;  // options of `build`, handed on
};

// The line that is left for the engine when reading and writing pictures has its part of it.
Result<std::string> engine_line(const std::string& memory, int64_t video_bytes) {
  MEML_TRY(const int64_t line, parse_size(memory));
  if (line > video_bytes) return std::to_string(line - video_bytes);
  Error error{.code = Code::over_budget, .phase = "run"};
  error.message = fmt::format("reading and writing pictures of this size holds {}, the line is {}",
                              format_size(video_bytes), format_size(line));
  return Failure(std::move(error));
}

// The engine given, or one built for this source.
Result<std::string> engine_for(const Flags& flags, const vision::SourceSummary& source,
                               std::optional<TemporaryFile>& built) {
  if (!flags.model.ends_with(".onnx")) return flags.model;
  MEML_TRY(TemporaryFile file, TemporaryFile::make());
  std::vector<std::string> arguments = {flags.model, "-o", file.path(), "--task", "segment"};
  bool has_source_max = false;
  for (size_t i = 0; i < flags.build.size(); ++i) {
    arguments.push_back(flags.build[i]);
    has_source_max |= flags.build[i] == "--source-max";
    if (flags.build[i] != "--memory" || i + 1 == flags.build.size()) continue;
    MEML_TRY(std::string line, engine_line(flags.build[++i], source.video_bytes));
    arguments.push_back(std::move(line));
  }
  if (!has_source_max && source.max_width > 0)
    arguments.insert(arguments.end(), {"--source-max", fmt::format("{}x{}", source.max_width, source.max_height)});
  MEML_TRY_STATUS(build_in_child(arguments));
  built.emplace(std::move(file));
  return built->path();
}

// The engine's bill and the pictures' entry. An engine built elsewhere may have used its whole line: then there is no
// room for them.
Result<MemoryBill> bill_with_video(const Engine& engine, int64_t video_bytes, bool built_here) {
  MemoryBill bill = engine.bill();
  for (BillEntry& entry : bill.entries)
    if (entry.name == "video") entry.bytes += video_bytes;
  bill.total_bytes += video_bytes;
  if (built_here && bill.limit_bytes > 0) bill.limit_bytes += video_bytes;
  if (bill.limit_bytes == 0 || bill.total_bytes <= bill.limit_bytes) return bill;
  Error error{.code = Code::over_budget, .phase = "run", .least_bytes = bill.total_bytes};
  error.message = fmt::format(
      "the engine's line is {}; with {} for reading and writing pictures the bill is {}: give segment the model and "
      "the line",
      format_size(bill.limit_bytes), format_size(video_bytes), format_size(bill.total_bytes));
  return Failure(std::move(error));
}

Json stages_json(const vision::SourceResult& r) {
  const double n = static_cast<double>(std::max<int64_t>(1, r.frames));
  return {{"read", r.read_ms / n},
          {"preprocess", r.preprocess_ms / n},
          {"inference", r.inference_ms / n},
          {"postprocess", r.postprocess_ms / n},
          {"write", r.write_ms / n}};
}

Result<Report> run(const Flags& flags) {
  MEML_TRY(const vision::SourceSummary source, vision::look_at_source(flags.job.source));
  std::optional<TemporaryFile> built;
  MEML_TRY(const std::string path, engine_for(flags, source, built));
  // FFmpeg's libraries are loaded by now: their pages are in the baseline, what decoding and writing take is not.
  MEML_TRY(const MemoryMeter meter, MemoryMeter::open());
  MemoryReading before, after;
  meter.read(before);
  MEML_TRY(vision::Segmenter segmenter, vision::Segmenter::load(path));
  MEML_TRY(const MemoryBill bill, bill_with_video(segmenter.engine(), source.video_bytes, built.has_value()));
  vision::SourceJob job = flags.job;
  job.cancel = &cancelled();
  job.progress = [](int64_t done, int64_t total) {
    show_progress("frames", static_cast<size_t>(done), static_cast<size_t>(std::max<int64_t>(total, done)));
  };
  MEML_TRY(const vision::SourceResult result, vision::segment_source(segmenter, job));
  meter.read(after);
  const int64_t peak = after.peak_bytes - before.resident_bytes;

  Report report;
  add_bill(report.json, bill);
  report.json["baseline_bytes"] = before.resident_bytes;
  report.json["peak_bytes"] = peak;
  report.json["frames"] = result.frames;
  report.json["objects"] = result.objects;
  report.json["unreadable"] = result.unreadable;
  report.json["problems"] = result.problems;
  report.json["stage_ms"] = stages_json(result);
  report.text = fmt::format("{} frames, {} objects\n", result.frames, result.objects);
  for (const auto& [stage, ms] : report.json["stage_ms"].items())
    report.text += fmt::format("  {:<12} {:8.2f} ms a frame\n", stage, ms.get<double>());
  report.text +=
      fmt::format("line {}, bill {}, peak {}\n", bill.limit_bytes > 0 ? format_size(bill.limit_bytes) : "none",
                  format_size(bill.total_bytes), format_size(peak));
  for (const std::string& problem : result.problems) report.text += "not read: " + problem + "\n";
  if (!job.save_folder.empty()) report.text += fmt::format("annotated frames: {}\n", job.save_folder);
  return report;
}

}  // namespace

void add_segment(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  auto build = std::make_shared<BuildFlags>();
  CLI::App* command = app.add_subcommand("segment", "find objects and their masks in pictures and videos");
  command->add_option("source", flags->job.source, "a picture, a folder of pictures, or a video")->required();
  command
      ->add_option("--model", flags->model,
                   "an ONNX file (built for this source) or an engine built with --task segment")
      ->required();
  command->add_option("--save", flags->job.save_folder, "a folder for annotated frames");
  command->add_option("--labels", flags->job.labels_folder, "a folder for YOLO label files");
  command->add_option("--results", flags->job.jsonl_file, "a file of results, one JSON object a frame");
  command->add_option("--coco", flags->job.coco_file, "a file of results in COCO's form");
  command->add_option("--frames", flags->job.max_frames, "stop after so many frames")->check(CLI::PositiveNumber);
  add_build_flags(command, *build);
  add_command(app, command,
              "  memline segment street.avi --model person-seg.onnx --shape images=1x3x640x640 --memory 60MiB --save "
              "out --frames 100\n"
              "  memline segment pictures/ --model person-seg.mline --coco results.json",
              [flags, build, command] {
                for (const CLI::Option* option : command->get_options()) {
                  static const std::set<std::string> kOwn = {"source", "--model",  "--save", "--labels", "--results",
                                                             "--coco", "--frames", "--json", "--help",   "--task"};
                  const std::string name = option->get_name();
                  if (kOwn.contains(name) || option->count() == 0) continue;
                  if (option->get_items_expected_max() == 0) flags->build.push_back(name);
                  for (const std::string& value :
                       option->get_items_expected_max() == 0 ? std::vector<std::string>{} : option->results())
                    flags->build.insert(flags->build.end(), {name, value});
                }
                return run(*flags);
              });
}

}  // namespace memline::cli

#include "cli/build_options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/process.h"
#include "base/result.h"
#include "base/size.h"
#include "cli/command.h"

namespace memline::cli {
namespace {

Status read_size(const std::string& text, std::string_view option, int64_t& bytes) {
  if (text.empty()) return {};
  auto parsed = parse_size(text);
  if (!parsed) return with_prefix(std::move(parsed).error(), option);
  if (*parsed == 0) return invalid_argument("{}: 0 bytes is no line", option);
  bytes = *parsed;
  return {};
}

Result<std::pair<std::string, std::string>> split_assignment(const std::string& text, std::string_view option) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return invalid_argument("{}: found '{}', needs NAME=VALUE", option, text);
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Status read_shapes(const BuildFlags& flags, tools::BuildOptions& options) {
  for (const std::string& shape : flags.shapes) {
    MEML_TRY(const auto assignment, split_assignment(shape, "--shape"));
    auto range = tools::parse_shape_range(assignment.second);
    if (!range) return with_prefix(std::move(range).error(), "--shape " + assignment.first);
    if (!options.shapes.emplace(assignment.first, *range).second)
      return invalid_argument("--shape: input '{}' is given twice", assignment.first);
  }
  for (const std::string& max : flags.max) {
    MEML_TRY(const auto assignment, split_assignment(max, "--max"));
    int64_t value = 0;
    const char* end = assignment.second.data() + assignment.second.size();
    const auto [rest, error] = std::from_chars(assignment.second.data(), end, value);
    if (error != std::errc() || rest != end || value < 0)
      return invalid_argument("--max {}: found '{}', needs a whole number", assignment.first, assignment.second);
    options.max[assignment.first] = value;
  }
  return {};
}

Status read_source_max(const std::string& text, tools::BuildOptions& options) {
  if (text.empty()) return {};
  int64_t width = 0, height = 0;
  const char* end = text.data() + text.size();
  const auto [cross, width_error] = std::from_chars(text.data(), end, width);
  if (width_error == std::errc() && cross != end && *cross == 'x') {
    const auto [rest, height_error] = std::from_chars(cross + 1, end, height);
    if (height_error == std::errc() && rest == end && width > 0 && height > 0 && width <= 65536 && height <= 65536) {
      options.source_max_width = width;
      options.source_max_height = height;
      return {};
    }
  }
  return invalid_argument("--source-max: found '{}', needs WIDTHxHEIGHT in pixels, up to 65536x65536", text);
}

}  // namespace

void add_build_flags(CLI::App* command, BuildFlags& flags) {
  command->add_option("--memory", flags.memory, "the run's line: what the engine may hold, as 400MiB");
  command->add_option("--memory-total", flags.memory_total,
                      "the same, as the whole process's size: a container's limit");
  command->add_option("--build-memory", flags.build_memory, "the build's line");
  command->add_option("--device", flags.device, "cpu")->capture_default_str();
  command->add_option("--precision", flags.precision, "fp32 or bf16")->capture_default_str();
  command->add_option("--shape", flags.shapes, "NAME=1x3x640x640, or NAME=MIN:OPT:MAX");
  command->add_option("--max", flags.max, "NAME=N: the largest value of a count that depends on data");
  command->add_option("--threads", flags.threads, "participants of a run (default: the CPUs this process may use)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--cpu-level", flags.cpu_level,
                      "avx2, avx512, avx512_vnni, avx512_bf16 or amx (default: the best here)");
  command->add_option("--tune", flags.tune, "none, quick or full")->capture_default_str();
  command->add_option("--timing-cache", flags.timing_cache, "a file of timings, read and added to");
  command->add_option("--plan", flags.plan, "fit, or plain: no search for a leaner plan")->capture_default_str();
  command->add_option("--skip", flags.skip, "a pass to leave out");
  command->add_flag("--exact", flags.exact, "leave out tactics whose sums differ from the direct order");
  command->add_option("--task", flags.task, "segment: picture in, boxes and masks out");
  command->add_option("--family", flags.family, "how the model's outputs are read: yolo8-seg (default: found)");
  command->add_option("--source-max", flags.source_max, "the largest source picture, WIDTHxHEIGHT");
  command->add_option("--max-mask-bytes", flags.max_mask_bytes, "run lengths of one picture's masks (default 1MiB)");
}

Result<tools::BuildOptions> build_options(const BuildFlags& flags) {
  tools::BuildOptions options;
  options.device = flags.device;
  options.precision = flags.precision;
  options.cpu_level = flags.cpu_level;
  options.tune = flags.tune;
  options.plan = flags.plan;
  options.threads = flags.threads;
  options.timing_cache = flags.timing_cache;
  options.exact = flags.exact;
  options.task = flags.task;
  options.family = flags.family;
  options.skip_passes = {flags.skip.begin(), flags.skip.end()};
  MEML_TRY_STATUS(read_size(flags.memory, "--memory", options.memory_bytes));
  MEML_TRY_STATUS(read_size(flags.build_memory, "--build-memory", options.build_memory_bytes));
  MEML_TRY_STATUS(read_size(flags.max_mask_bytes, "--max-mask-bytes", options.max_mask_bytes));
  int64_t total = 0;
  MEML_TRY_STATUS(read_size(flags.memory_total, "--memory-total", total));
  if (total > 0) {
    if (options.memory_bytes > 0)
      return invalid_argument("--memory and --memory-total are two ways to draw one line: give one");
    MEML_TRY(const MemoryMeter meter, MemoryMeter::open());
    MemoryReading reading;
    meter.read(reading);
    const int64_t baseline = reading.resident_bytes;
    if (total <= baseline)
      return invalid_argument("--memory-total {} is not above the process's own {}", format_size(total),
                              format_size(baseline));
    options.memory_bytes = total - baseline;
  }
  MEML_TRY_STATUS(read_shapes(flags, options));
  MEML_TRY_STATUS(read_source_max(flags.source_max, options));
  options.cancel = &cancelled();
  options.progress = show_progress;
  return options;
}

}  // namespace memline::cli

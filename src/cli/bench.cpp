// memline bench ENGINE: latency, load time, and the bill against what is measured from /proc.
#include <fmt/format.h>

#include <algorithm>

#include "base/process.h"
#include "base/result.h"
#include "base/size.h"
#include "cli/bench_run.h"
#include "cli/command.h"
#include "cli/engine_json.h"

namespace memline::cli {
namespace {

bool is_product(const tools::StepReport& step) { return step.flops > 0; }

void add_layers(Report& report, const Measured& m, const tools::EngineReport& engine) {
  report.json["layers"] = Json::array();
  report.text += fmt::format("\n{:>4} {:>9} {:>9} {:>9}  {:<30} {}\n", "step", "us", "GFLOP/s", "MB", "tactic", "name");
  double all = 0, outside = 0;
  for (const LayerTime& layer : m.layers) {
    const tools::StepReport& step = engine.steps[static_cast<size_t>(layer.step)];
    const double us = static_cast<double>(layer.nanoseconds) / 1e3 / static_cast<double>(m.profiled_runs);
    const double gflops = us > 0 ? static_cast<double>(step.flops) / us / 1e3 : 0;
    all += us;
    if (!is_product(step)) outside += us;
    report.json["layers"].push_back({{"step", layer.step},
                                     {"name", step.name},
                                     {"tactic", step.tactic},
                                     {"us", us},
                                     {"gflops", gflops},
                                     {"bytes", step.bytes_read_written},
                                     {"why", step.why}});
    report.text += fmt::format("{:>4} {:>9.1f} {:>9.1f} {:>9.2f}  {:<30} {}{}\n", layer.step, us, gflops,
                               static_cast<double>(step.bytes_read_written) / 1e6, step.tactic, step.name,
                               step.why.empty() ? "" : "  (" + step.why + ")");
  }
  report.json["outside_products_share"] = all > 0 ? outside / all : 0;
  report.text += fmt::format("outside convolutions and matrix products: {:.1f} % of the time\n",
                             all > 0 ? 100 * outside / all : 0);
}

Json quantiles(const LatencyHistogram& times) {
  return {{"min", times.min_ms()},
          {"p50", times.quantile_ms(0.5)},
          {"p90", times.quantile_ms(0.9)},
          {"p99", times.quantile_ms(0.99)}};
}

void add_shapes(Report& report, const BenchFlags& flags, const Measured& m, const Bench& bench) {
  if (flags.random_shapes == 0) {
    const std::vector<std::vector<int64_t>> dims = bench.dims();
    Json& shapes = report.json["shape"] = Json::object();
    for (size_t i = 0; i < dims.size(); ++i) shapes[bench.engine().inputs()[i].name] = dims[i];
    return;
  }
  const double ratio = m.first_over_second.quantile_ms(0.5);
  report.json["random_shapes"] = flags.random_shapes;
  report.json["seed"] = flags.seed;
  report.json["first_at_shape_ms"] = quantiles(m.first_at_shape);
  report.json["second_at_shape_ms"] = quantiles(m.second_at_shape);
  report.json["first_over_second"] = ratio;
  report.text += fmt::format(
      "shapes   {} by seed {}: first run at a shape {:.2f} ms, second {:.2f} ms, median of first / second {:.3f}\n",
      flags.random_shapes, flags.seed, m.first_at_shape.quantile_ms(0.5), m.second_at_shape.quantile_ms(0.5), ratio);
}

struct Memory {
  int64_t peak, growth, new_pages, reclaimed;
};

Memory memory_of(const Measured& m) {
  return {.peak = m.last.peak_bytes - m.baseline.resident_bytes,
          .growth = m.latencies.count() < 11 ? 0 : m.last.resident_bytes - m.after_ten.resident_bytes,
          .new_pages = m.last.minor_faults - m.at_tenth.minor_faults,
          .reclaimed = m.last.reclaimed_pages - m.baseline.reclaimed_pages};
}

Result<Report> run(const BenchFlags& flags) {
  MEML_TRY(MemoryMeter meter, MemoryMeter::open());
  Bench bench(flags, meter);
  MEML_TRY_STATUS(bench.run());
  const Measured& m = bench.measured();
  const Engine& engine = bench.engine();
  const MemoryBill bill = engine.bill();
  const Memory memory = memory_of(m);
  const auto about = [&](const char* key) {
    return engine.about().contains(key) ? engine.about().at(key) : std::string();
  };

  Report report;
  Json& json = report.json;
  add_bill(json, bill);
  json["baseline_bytes"] = m.baseline.resident_bytes;
  json["peak_bytes"] = memory.peak;
  json["growth_bytes"] = memory.growth;
  json["new_pages"] = memory.new_pages;
  json["reclaimed_pages"] = memory.reclaimed;
  json["load_ms"] = m.load_ms;
  json["first_run_ms"] = m.first_run_ms;
  json["latency_ms"] = quantiles(m.latencies);
  json["runs"] = m.latencies.count();
  json["threads"] = flags.threads > 0 ? flags.threads : engine.threads();
  json["precision"] = about("precision");
  json["device"] = engine.target().substr(0, engine.target().find(' '));
  json["cpu_level"] = engine.target().substr(engine.target().find(' ') + 1);
  report.text = fmt::format(
      "{} runs, {} threads, {}, {}\n"
      "latency  median {:.2f} ms   min {:.2f}   p90 {:.2f}   p99 {:.2f}\n"
      "load     {:.1f} ms, first run {:.1f} ms\n",
      m.latencies.count(), json["threads"].get<int>(), about("precision"), engine.target(),
      m.latencies.quantile_ms(0.5), m.latencies.min_ms(), m.latencies.quantile_ms(0.9), m.latencies.quantile_ms(0.99),
      m.load_ms, m.first_run_ms);
  add_shapes(report, flags, m, bench);
  report.text += fmt::format("memory   line {}   bill {}   peak {}   growth {} bytes   new pages {}\n",
                             bill.limit_bytes > 0 ? format_size(bill.limit_bytes) : "none",
                             format_size(bill.total_bytes), format_size(memory.peak), memory.growth, memory.new_pages);
  if (flags.layers) {
    MEML_TRY(const tools::EngineReport inspected, tools::inspect(engine));
    add_layers(report, m, inspected);
  }
  return report;
}

}  // namespace

void add_bench(CLI::App& app) {
  auto flags = std::make_shared<BenchFlags>();
  CLI::App* command = app.add_subcommand("bench", "latency and memory of an engine, measured");
  command->add_option("engine", flags->engine, "an engine file")->required();
  auto* shape = command->add_option("--shape", flags->shapes,
                                    "NAME=1x3x640x640, of those the engine takes (default: the shape it is tuned for)");
  auto* runs = command->add_option("--runs", flags->runs, "so many runs after the first (default 50)")
                   ->check(CLI::PositiveNumber);
  auto* seconds = command->add_option("--seconds", flags->seconds, "runs for so long instead")
                      ->check(CLI::PositiveNumber)
                      ->excludes(runs);
  auto* layers = command->add_flag("--layers", flags->layers, "time, GFLOP/s and bytes of each step");
  auto* random = command
                     ->add_option("--random-shapes", flags->random_shapes,
                                  "so many shapes at random from those the engine takes, each run twice")
                     ->check(CLI::PositiveNumber)
                     ->excludes(shape)
                     ->excludes(runs)
                     ->excludes(seconds)
                     ->excludes(layers);
  command->add_option("--seed", flags->seed, "which random shapes")
      ->check(CLI::NonNegativeNumber)
      ->needs(random)
      ->capture_default_str();
  command->add_option("--threads", flags->threads, "at most as many as the engine was built for")
      ->check(CLI::NonNegativeNumber);
  add_command(app, command,
              "  memline bench person-seg.mline --runs 200\n"
              "  memline bench person-seg.mline --layers\n"
              "  memline bench person-seg.mline --shape images=1x3x320x480 --seconds 5\n"
              "  memline bench person-seg.mline --random-shapes 200 --seed 7",
              [flags] { return run(*flags); });
}

}  // namespace memline::cli

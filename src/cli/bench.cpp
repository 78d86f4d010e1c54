// memline bench ENGINE: latency, load time, and the bill against what is measured from /proc.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>

#include "base/process.h"
#include "base/result.h"
#include "base/size.h"
#include "cli/bench_stats.h"
#include "cli/command.h"
#include "cli/engine_json.h"
#include "cli/npy.h"
#include "memline/tools.hpp"

namespace memline::cli {
namespace {

using Clock = std::chrono::steady_clock;
int64_t since(Clock::time_point begin) { return std::chrono::nanoseconds(Clock::now() - begin).count(); }

struct Flags {
  std::string engine;
  int64_t runs = 0;
  double seconds = 0;
  int threads = 0;
  bool layers = false;
};

// Inputs are filled again before each run: a run may have overwritten them.
void fill(const TensorRef& input) {
  int64_t n = 1;
  for (int i = 0; i < input.rank; ++i) n *= input.dims[static_cast<size_t>(i)];
  uint32_t state = 0x9e3779b9u;
  const auto next = [&] { return state = state * 1664525u + 1013904223u; };
  switch (input.dtype) {
    case DType::f32:
      for (int64_t i = 0; i < n; ++i) static_cast<float*>(input.data)[i] = static_cast<float>(next() >> 8) * 0x1p-24f;
      break;
    case DType::u8:
    case DType::i8:
      for (int64_t i = 0; i < n; ++i) static_cast<uint8_t*>(input.data)[i] = static_cast<uint8_t>(next() >> 24);
      break;
    default:
      std::memset(input.data, 0, static_cast<size_t>(n * dtype_bytes(input.dtype)));
  }
}

struct Measured {
  MemoryReading baseline, after_ten, at_tenth, last;
  double load_ms = 0, first_run_ms = 0;
  LatencyHistogram latencies;
  std::vector<LayerTime> layers;  // sums over the profiled runs
  int64_t profiled_runs = 0;
};

class Bench {
 public:
  Bench(const Flags& flags, MemoryMeter& meter) : flags_(flags), meter_(meter) {}

  Status run() {
    meter_.read(m_.baseline);
    const auto begin = Clock::now();
    MEML_TRY(engine_, Engine::load(flags_.engine));
    MEML_TRY(session_, engine_->make_session({.threads = flags_.threads}));
    m_.load_ms = static_cast<double>(since(begin)) / 1e6;
    for (size_t i = 0; i < engine_->inputs().size(); ++i) {
      MEML_TRY(const TensorRef input, session_->own_input(i, engine_->inputs()[i].opt_dims));
      inputs_.push_back(input);
    }
    outputs_.resize(engine_->outputs().size());
    MEML_TRY(const int64_t first, one_run());
    m_.first_run_ms = static_cast<double>(first) / 1e6;
    MEML_TRY_STATUS(many_runs());
    if (flags_.layers) MEML_TRY_STATUS(profile());
    return {};
  }

  const Measured& measured() const { return m_; }
  const Engine& engine() const { return *engine_; }

 private:
  Result<int64_t> one_run() {
    for (const TensorRef& input : inputs_) fill(input);
    for (TensorRef& output : outputs_) output = {};
    const auto begin = Clock::now();
    Status status = session_->run(inputs_, outputs_);
    const int64_t taken = since(begin);
    if (!status) return Failure(std::move(status).error());
    return taken;
  }

  // The first run is not counted; by count, or by time.
  Status many_runs() {
    const int64_t wanted = flags_.runs > 0 ? flags_.runs : flags_.seconds > 0 ? INT64_MAX : 50;
    const auto begin = Clock::now();
    for (int64_t i = 0; i < wanted; ++i) {
      if (cancelled().load(std::memory_order_relaxed)) return fail(Code::cancelled, {}, "cancelled after {} runs", i);
      if (flags_.seconds > 0 && static_cast<double>(since(begin)) / 1e9 >= flags_.seconds) break;
      MEML_TRY(const int64_t taken, one_run());
      m_.latencies.add(taken);
      if (i == 9) meter_.read(m_.after_ten);
      if (i == (flags_.runs > 0 ? flags_.runs / 10 : 5)) meter_.read(m_.at_tenth);
    }
    meter_.read(m_.last);
    return {};
  }

  Status profile() {
    MEML_TRY(const tools::EngineReport report, tools::inspect(*engine_));
    std::vector<LayerTime> times(report.steps.size());
    m_.layers.resize(times.size());
    for (m_.profiled_runs = 0; m_.profiled_runs < 20; ++m_.profiled_runs) {
      for (const TensorRef& input : inputs_) fill(input);
      for (TensorRef& output : outputs_) output = {};
      MEML_TRY_STATUS(session_->run_profiled(inputs_, outputs_, times));
      for (size_t i = 0; i < times.size(); ++i)
        m_.layers[i] = {times[i].step, m_.layers[i].nanoseconds + times[i].nanoseconds};
    }
    return {};
  }

  const Flags& flags_;
  MemoryMeter& meter_;
  Measured m_;
  std::optional<Engine> engine_;
  std::optional<Session> session_;
  std::vector<TensorRef> inputs_, outputs_;
};

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

Result<Report> run(const Flags& flags) {
  MEML_TRY(MemoryMeter meter, MemoryMeter::open());
  Bench bench(flags, meter);
  MEML_TRY_STATUS(bench.run());
  const Measured& m = bench.measured();
  const Engine& engine = bench.engine();
  const MemoryBill bill = engine.bill();
  const int64_t peak = m.last.peak_bytes - m.baseline.resident_bytes;
  const int64_t growth = m.latencies.count() < 11 ? 0 : m.last.resident_bytes - m.after_ten.resident_bytes;
  const int64_t new_pages = m.last.minor_faults - m.at_tenth.minor_faults;
  const auto about = [&](const char* key) {
    return engine.about().contains(key) ? engine.about().at(key) : std::string();
  };

  Report report;
  Json& json = report.json;
  add_bill(json, bill);
  json["baseline_bytes"] = m.baseline.resident_bytes;
  json["peak_bytes"] = peak;
  json["growth_bytes"] = growth;
  json["new_pages"] = new_pages;
  json["reclaimed_pages"] = m.last.reclaimed_pages - m.baseline.reclaimed_pages;
  json["load_ms"] = m.load_ms;
  json["first_run_ms"] = m.first_run_ms;
  json["latency_ms"] = {{"min", m.latencies.min_ms()},
                        {"p50", m.latencies.quantile_ms(0.5)},
                        {"p90", m.latencies.quantile_ms(0.9)},
                        {"p99", m.latencies.quantile_ms(0.99)}};
  json["runs"] = m.latencies.count();
  json["threads"] = flags.threads > 0 ? flags.threads : engine.threads();
  json["precision"] = about("precision");
  json["device"] = engine.target().substr(0, engine.target().find(' '));
  json["cpu_level"] = engine.target().substr(engine.target().find(' ') + 1);
  report.text = fmt::format(
      "{} runs, {} threads, {}, {}\n"
      "latency  median {:.2f} ms   min {:.2f}   p90 {:.2f}   p99 {:.2f}\n"
      "load     {:.1f} ms, first run {:.1f} ms\n"
      "memory   line {}   bill {}   peak {}   growth {} bytes   new pages {}\n",
      m.latencies.count(), json["threads"].get<int>(), about("precision"), engine.target(),
      m.latencies.quantile_ms(0.5), m.latencies.min_ms(), m.latencies.quantile_ms(0.9), m.latencies.quantile_ms(0.99),
      m.load_ms, m.first_run_ms, bill.limit_bytes > 0 ? format_size(bill.limit_bytes) : "none",
      format_size(bill.total_bytes), format_size(peak), growth, new_pages);
  if (flags.layers) {
    MEML_TRY(const tools::EngineReport inspected, tools::inspect(engine));
    add_layers(report, m, inspected);
  }
  return report;
}

}  // namespace

void add_bench(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("bench", "latency and memory of an engine, measured");
  command->add_option("engine", flags->engine, "an engine file")->required();
  auto* runs = command->add_option("--runs", flags->runs, "so many runs after the first (default 50)")
                   ->check(CLI::PositiveNumber);
  command->add_option("--seconds", flags->seconds, "runs for so long instead")
      ->check(CLI::PositiveNumber)
      ->excludes(runs);
  command->add_option("--threads", flags->threads, "at most as many as the engine was built for")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--layers", flags->layers, "time, GFLOP/s and bytes of each step");
  add_command(app, command, "  memline bench person-seg.mline --runs 200\n  memline bench person-seg.mline --layers",
              [flags] { return run(*flags); });
}

}  // namespace memline::cli

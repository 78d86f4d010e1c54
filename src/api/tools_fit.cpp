// tools.hpp: fit_curve. One model compiled under many lines with one timing cache, so that what differs between two
// points is the plan and never what was timed; the engines then run in turn, so that a busy moment hits all of them.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "api/engine.h"
#include "api/tools_job.h"
#include "base/temporary_file.h"

namespace memline::tools {
namespace {

struct Runner {
  TemporaryFile file;
  std::optional<Session> session;
  std::vector<TensorRef> inputs, outputs;
  std::vector<double> milliseconds;
};

double predicted_ms(const engine::Program& program) {
  double nanoseconds = 0;
  for (const engine::Block& block : program.blocks)
    for (const engine::Step& step : block.steps) nanoseconds += step.chosen_ns;
  return nanoseconds / 1e6;
}

// A ramp in [0, 1), or in bytes.
void fill(const TensorRef& input) {
  int64_t n = 1;
  for (int32_t axis = 0; axis < input.rank; ++axis) n *= input.dims[static_cast<size_t>(axis)];
  for (int64_t i = 0; i < n; ++i) {
    if (input.dtype == DType::f32) static_cast<float*>(input.data)[i] = static_cast<float>(i % 251) / 251;
    if (input.dtype == DType::u8) static_cast<uint8_t*>(input.data)[i] = static_cast<uint8_t>(i % 251);
  }
}

Result<Runner> make_runner(const Compiled& compiled, const BuildOptions& options) {
  MEML_TRY(TemporaryFile file, TemporaryFile::make());
  MEML_TRY_STATUS(write_engine(compiled, file.path(), options.cancel));
  MEML_TRY(const Engine engine, Engine::load(file.path()));
  Runner runner{std::move(file), {}, {}, {}, {}};
  MEML_TRY(runner.session, engine.make_session());
  for (size_t i = 0; i < engine.inputs().size(); ++i) {
    MEML_TRY(const TensorRef input, runner.session->own_input(i, engine.inputs()[i].opt_dims));
    if (input.dtype != DType::f32 && input.dtype != DType::u8)
      std::memset(input.data, 0, static_cast<size_t>(engine.inputs()[i].max_bytes));
    runner.inputs.push_back(input);
  }
  runner.outputs.resize(engine.outputs().size());
  return runner;
}

Status run_once(Runner& runner) {
  for (const TensorRef& input : runner.inputs) fill(input);
  std::ranges::fill(runner.outputs, TensorRef());
  const auto begin = std::chrono::steady_clock::now();
  MEML_TRY_STATUS(runner.session->run(runner.inputs, runner.outputs));
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  runner.milliseconds.push_back(taken.count());
  return {};
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

class Curve {
 public:
  Curve(const std::string& model, const CurveOptions& options) : model_(model), options_(options) {}

  Result<FitCurve> run() {
    MEML_TRY(job_, api::prepare(options_.build));
    if (!job_.cache) job_.cache.emplace(job_.backend->target(), job_.options.lower.threads);
    MEML_TRY(const Compiled roomy, compile_under(0));
    curve_.roomy_bytes = roomy.program.bill.total();
    MEML_TRY(curve_.least_bytes, least_line());
    for (int i = 0; i + 1 < options_.points; ++i) {
      const double share = static_cast<double>(i) / (options_.points - 1);
      const auto above = static_cast<int64_t>(share * static_cast<double>(curve_.roomy_bytes - curve_.least_bytes));
      MEML_TRY(const Compiled compiled, compile_under(curve_.least_bytes + above));
      MEML_TRY_STATUS(add_point(compiled));
    }
    MEML_TRY_STATUS(add_point(roomy));
    if (!options_.build.timing_cache.empty() && job_.cache->changed())
      MEML_TRY_STATUS(job_.cache->save(options_.build.timing_cache));
    MEML_TRY_STATUS(measure());
    return std::move(curve_);
  }

 private:
  Result<Compiled> compile_under(int64_t line) {
    if (options_.build.progress)
      options_.build.progress("lines", curve_.points.size(), static_cast<size_t>(options_.points));
    job_.options.fit.limit_bytes = line;
    return api::compile_job(job_, model_);
  }

  // What the refusal of a line of one byte names.
  Result<int64_t> least_line() {
    const Result<Compiled> refused = compile_under(1);
    if (refused) return internal("a line of one byte was not refused");
    if (refused.error().code != Code::over_budget || refused.error().least_bytes == 0) return Failure(refused.error());
    return refused.error().least_bytes;
  }

  Status add_point(const Compiled& compiled) {
    FitPoint point{.line_bytes = compiled.program.limit_bytes, .bill = api::public_bill(compiled.program)};
    if (point.line_bytes == 0) point.line_bytes = curve_.roomy_bytes;
    point.predicted_ms = predicted_ms(compiled.program);
    if (!curve_.points.empty() && curve_.points.back().bill.total_bytes == point.bill.total_bytes) return {};
    curve_.points.push_back(std::move(point));
    if (options_.runs == 0) return {};
    MEML_TRY(Runner runner, make_runner(compiled, options_.build));
    runners_.push_back(std::move(runner));
    return {};
  }

  // The first round finds pages and caches; it is not counted.
  Status measure() {
    for (int round = 0; round <= options_.runs && !runners_.empty(); ++round) {
      if (options_.build.progress)
        options_.build.progress("runs", static_cast<size_t>(round), static_cast<size_t>(options_.runs));
      for (Runner& runner : runners_) {
        if (options_.build.cancel != nullptr && options_.build.cancel->load(std::memory_order_relaxed))
          return fail(Code::cancelled, {}, "cancelled while running");
        MEML_TRY_STATUS(run_once(runner));
      }
    }
    for (size_t i = 0; i < runners_.size(); ++i) {
      runners_[i].milliseconds.erase(runners_[i].milliseconds.begin());
      curve_.points[i].measured_ms = median(runners_[i].milliseconds);
    }
    return {};
  }

  const std::string& model_;
  const CurveOptions& options_;
  api::Job job_;
  FitCurve curve_;
  std::vector<Runner> runners_;  // one a point
};

}  // namespace

Result<FitCurve> fit_curve(const std::string& model, const CurveOptions& options) {
  if (options.points < 2 || options.points > 256) return invalid_argument("{} points: needs 2 to 256", options.points);
  if (options.runs < 0) return invalid_argument("{} runs: needs 0 or more", options.runs);
  return Curve(model, options).run();
}

}  // namespace memline::tools

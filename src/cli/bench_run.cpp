#include "cli/bench_run.h"

#include <chrono>
#include <cstring>

#include "base/result.h"
#include "cli/command.h"
#include "cli/engine_json.h"
#include "cli/npy.h"

namespace memline::cli {
namespace {

using Clock = std::chrono::steady_clock;
int64_t since(Clock::time_point begin) { return std::chrono::nanoseconds(Clock::now() - begin).count(); }

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

}  // namespace

Status Bench::run() {
  meter_.read(m_.baseline);
  MEML_TRY_STATUS(load());
  MEML_TRY(const int64_t first, one_run());
  m_.first_run_ms = static_cast<double>(first) / 1e6;
  MEML_TRY_STATUS(flags_.random_shapes > 0 ? random_runs() : many_runs());
  if (flags_.layers) MEML_TRY_STATUS(profile());
  return {};
}

std::vector<std::vector<int64_t>> Bench::dims() const {
  std::vector<std::vector<int64_t>> all;
  for (const TensorRef& input : inputs_) all.emplace_back(input.dims.begin(), input.dims.begin() + input.rank);
  return all;
}

Status Bench::load() {
  const auto begin = Clock::now();
  MEML_TRY(engine_, Engine::load(flags_.engine));
  MEML_TRY(session_, engine_->make_session({.threads = flags_.threads}));
  m_.load_ms = static_cast<double>(since(begin)) / 1e6;
  inputs_.resize(engine_->inputs().size());
  outputs_.resize(engine_->outputs().size());
  for (size_t i = 0; i < inputs_.size(); ++i) MEML_TRY_STATUS(set_shape(i, engine_->inputs()[i].opt_dims));
  return set_given_shapes();
}

Status Bench::set_shape(size_t input, std::span<const int64_t> dims) {
  MEML_TRY(inputs_[input], session_->own_input(input, dims));
  return {};
}

Status Bench::set_given_shapes() {
  for (const std::string& shape : flags_.shapes) {
    const size_t equals = shape.find('=');
    if (equals == std::string::npos) return invalid_argument("--shape: found '{}', needs NAME=1x3x640x640", shape);
    const std::string name = shape.substr(0, equals);
    auto range = tools::parse_shape_range(std::string_view(shape).substr(equals + 1));
    if (!range) return with_prefix(std::move(range).error(), "--shape " + name);
    if (range->min != range->max)
      return invalid_argument("--shape {}: found a range, needs one shape of those the engine was built for", name);
    size_t i = 0;
    while (i < inputs_.size() && engine_->inputs()[i].name != name) ++i;
    if (i == inputs_.size()) {
      std::string names;
      for (const PortInfo& port : engine_->inputs()) names += (names.empty() ? "" : ", ") + port_text(port);
      return invalid_argument("--shape: the engine has no input '{}'; it has {}", name, names);
    }
    if (auto status = set_shape(i, range->opt); !status) return with_prefix(std::move(status).error(), "--shape");
  }
  return {};
}

Result<int64_t> Bench::one_run() {
  for (const TensorRef& input : inputs_) fill(input);
  for (TensorRef& output : outputs_) output = {};
  const auto begin = Clock::now();
  Status status = session_->run(inputs_, outputs_);
  const int64_t taken = since(begin);
  if (!status) return Failure(std::move(status).error());
  return taken;
}

Status Bench::counted_run(int64_t index, int64_t tenth, LatencyHistogram* also, int64_t& nanoseconds) {
  if (cancelled().load(std::memory_order_relaxed)) return fail(Code::cancelled, {}, "cancelled after {} runs", index);
  MEML_TRY(nanoseconds, one_run());
  m_.latencies.add(nanoseconds);
  if (also != nullptr) also->add(nanoseconds);
  if (index == 9) meter_.read(m_.after_ten);
  if (index == tenth) meter_.read(m_.at_tenth);
  return {};
}

// The first run is not counted; by count, or by time.
Status Bench::many_runs() {
  const int64_t wanted = flags_.runs > 0 ? flags_.runs : flags_.seconds > 0 ? INT64_MAX : 50;
  const int64_t tenth = flags_.runs > 0 ? flags_.runs / 10 : 5;
  const auto begin = Clock::now();
  for (int64_t i = 0, nanoseconds = 0; i < wanted; ++i) {
    if (flags_.seconds > 0 && static_cast<double>(since(begin)) / 1e9 >= flags_.seconds) break;
    MEML_TRY_STATUS(counted_run(i, tenth, nullptr, nanoseconds));
  }
  meter_.read(m_.last);
  return {};
}

// Each shape twice: what a shape costs that was not met before is the first run's time beside the second's.
Status Bench::random_runs() {
  MEML_TRY(tools::RandomShapes shapes, tools::RandomShapes::create(*engine_, flags_.seed));
  const int64_t tenth = 2 * flags_.random_shapes / 10;
  for (int64_t i = 0; i < flags_.random_shapes; ++i) {
    MEML_TRY_STATUS(shapes.next());
    for (size_t input = 0; input < inputs_.size(); ++input) MEML_TRY_STATUS(set_shape(input, shapes.dims(input)));
    int64_t first = 0, second = 0;
    MEML_TRY_STATUS(counted_run(2 * i, tenth, &m_.first_at_shape, first));
    MEML_TRY_STATUS(counted_run(2 * i + 1, tenth, &m_.second_at_shape, second));
    m_.first_over_second.add(static_cast<int64_t>(1e6 * static_cast<double>(first) / static_cast<double>(second)));
    show_progress("shapes", static_cast<size_t>(i + 1), static_cast<size_t>(flags_.random_shapes));
  }
  meter_.read(m_.last);
  return {};
}

Status Bench::profile() {
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

}  // namespace memline::cli

// What `bench` measures: an engine is loaded and run many times, at one shape or at random ones, while latencies go
// into fixed histograms and /proc is read through files opened before.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "cli/bench_stats.h"
#include "memline/tools.hpp"

namespace memline::cli {

struct BenchFlags {
  std::string engine;
  std::vector<std::string> shapes;  // NAME=1x3x640x640
  int64_t runs = 0;                 // 0: by seconds, or 50
  double seconds = 0;
  int64_t random_shapes = 0;  // 0: one shape
  uint64_t seed = 1;
  int threads = 0;
  bool layers = false;
};

struct Measured {
  MemoryReading baseline, after_ten, at_tenth, last;
  double load_ms = 0, first_run_ms = 0;
  LatencyHistogram latencies;
  // Random shapes: the first and the second run at each, and the first's time over the second's in units of 1e-6.
  LatencyHistogram first_at_shape, second_at_shape, first_over_second;
  std::vector<LayerTime> layers;  // sums over the profiled runs
  int64_t profiled_runs = 0;
};

class Bench {
 public:
  // `meter` was opened before; its reading at the start of run() is the baseline.
  Bench(const BenchFlags& flags, MemoryMeter& meter) : flags_(flags), meter_(meter) {}

  // Errors: as Engine::load and Session::run; invalid_argument for a shape that the engine does not take; cancelled.
  Status run();

  const Measured& measured() const { return m_; }
  const Engine& engine() const { return *engine_; }
  std::vector<std::vector<int64_t>> dims() const;  // of the inputs, of the last run

 private:
  Status load();
  Status set_shape(size_t input, std::span<const int64_t> dims);
  Status set_given_shapes();
  Result<int64_t> one_run();
  Status many_runs();
  Status random_runs();
  Status counted_run(int64_t index, int64_t tenth, LatencyHistogram* also, int64_t& nanoseconds);
  Status profile();

  const BenchFlags& flags_;
  MemoryMeter& meter_;
  Measured m_;
  std::optional<Engine> engine_;
  std::optional<Session> session_;
  std::vector<TensorRef> inputs_, outputs_;
};

}  // namespace memline::cli

// Building and explaining engines, as data. Unstable: the program and the Python package use it; runtime-only builds
// lack it.
#pragma once

#include <atomic>
#include <functional>
#include <set>

#include "memline/memline.hpp"

namespace memline::tools {

// The least, usual and largest extents of one input. Equal: a fixed shape.
struct ShapeRange {
  std::vector<int64_t> min, opt, max;
};
// "1x3x640x640", "1x3x320x320:4x3x1344x1344" or "MIN:OPT:MAX". Errors: invalid_argument.
MEMLINE_API Result<ShapeRange> parse_shape_range(std::string_view text);

struct BuildOptions {
  std::string device = "cpu";
  std::string precision = "fp32";            // fp32, bf16
  std::string cpu_level;                     // empty: the machine's best
  std::map<std::string, ShapeRange> shapes;  // by input name
  std::map<std::string, int64_t> max;        // by node name: the most of each size that the node takes from data
  int threads = 0;                           // 0: min(cgroup quota, affinity)
  int64_t memory_bytes = 0;                  // the run's line; 0: none
  int64_t build_memory_bytes = 0;  // the build's line; 0: max(line, least line) + 1.3 x the model's bytes + 16 MiB
  std::string tune = "quick";      // none, quick, full
  std::string timing_cache;        // a file, read and added to; empty: none
  std::string plan = "fit";        // fit, plain
  std::set<std::string> skip_passes;
  bool exact = false;        // leave out tactics whose sums differ from the direct order (Winograd)
  std::string task, family;  // "segment", "yolo8-seg"
  int64_t source_max_width = 1920, source_max_height = 1080;
  int64_t max_mask_bytes = 1 << 20;
  float confidence = 0.25f, iou = 0.6f;       // of the task's selection
  const std::atomic<bool>* cancel = nullptr;  // set: the build ends with `cancelled` and leaves nothing behind
  std::function<void(std::string_view stage, size_t done, size_t total)> progress;
  std::function<void(int64_t build_limit_bytes)> on_build_line;  // once, before anything is timed or packed
};

struct PassReport {
  std::string name;
  int hits = 0;
  double milliseconds = 0;
};
struct RefusalReport {
  std::string tactic, reason;
};
struct StepReport {
  std::string name, op, tactic, call, why;
  int64_t flops = 0, packed_bytes = 0, workspace_bytes = 0;
  int64_t bytes_read_written = 0;  // activations, at the bound
  double chosen_ns = 0;
};
struct CandidateReport {
  std::string node, op, call;
  std::vector<std::pair<std::string, double>> offered;  // tactic, nanoseconds; the first is the fastest
  std::vector<RefusalReport> refused;
};
struct BufferReport {
  std::string name, region;  // arena, input, output
  int64_t bytes = 0, offset = 0;
  int32_t first_step = 0, last_step = 0;
};
struct EngineReport {
  std::string target;
  int threads = 0;
  MemoryBill bill;
  std::vector<PortInfo> inputs, outputs;
  std::vector<StepReport> steps;
  std::vector<BufferReport> buffers;
  std::map<std::string, std::string> about;
};
struct BuildReport {
  EngineReport engine;
  std::vector<PassReport> passes;
  std::vector<CandidateReport> candidates;  // --explain
  int timed_calls = 0, cached_calls = 0;
  int untimed_calls = 0;  // calls that the build's line has no room to time: their stored costs decided
  int64_t build_limit_bytes = 0;
  std::map<std::string, std::string> dumps;  // --dump graph,menu,schedule
};

// Compiles and writes `output`. Errors: as Result says; over_budget has phase and least_bytes. A failure leaves no
// file behind.
MEMLINE_API Result<BuildReport> build(const std::string& model, const std::string& output, const BuildOptions& options);
// The same up to the plan: nothing is packed, run or written. Timings come from the timing cache or stored costs
// (tune none).
MEMLINE_API Result<BuildReport> plan(const std::string& model, const BuildOptions& options);
MEMLINE_API Result<EngineReport> inspect(const Engine& engine);

// Shapes for an engine's inputs, drawn by seed: uniformly from all that meet the engine's ranges and the conditions
// between extents. The same engine and seed give the same shapes everywhere. One thread at a time; keeps the engine
// alive.
class MEMLINE_API RandomShapes {
 public:
  // Errors: invalid_argument, reason no_such_shape, when no shape meets the conditions.
  static Result<RandomShapes> create(const Engine& engine, uint64_t seed);
  // Draws the next shape; allocates nothing. Errors: as create().
  Status next();
  // The extents of input i of the shape drawn last, in the order of Engine::inputs().
  std::span<const int64_t> dims(size_t input) const;

  struct Impl;
  explicit RandomShapes(std::unique_ptr<Impl> impl);
  RandomShapes(RandomShapes&&) noexcept;
  RandomShapes& operator=(RandomShapes&&) noexcept;
  ~RandomShapes();

 private:
  std::unique_ptr<Impl> impl_;
};

// The best CPU level that engines can use here, "avx512_bf16". Errors: unsupported (below avx2).
MEMLINE_API Result<std::string> best_cpu_level();

// A value of the model beside a stored one. Errors are relative to the range of the stored values (largest - least, 1
// where that is 0).
struct ComparedValue {
  std::string name;      // of the value; empty node: it is no output of one
  std::string node, op;  // which makes it
  DType dtype = DType::f32;
  std::vector<int64_t> dims;
  double range = 0;
  double max_error = 0, mean_error = 0;  // of the range; infinite where one is NaN or infinite and the other is not
  int64_t beyond = 0;                    // elements off by more than the tolerance
  std::string mismatch;                  // dtype or shape differ: what was stored and what came out
  bool differs = false;                  // beyond > 0, or mismatch
};
struct StoredTensor {
  DType dtype = DType::f32;
  std::vector<int64_t> dims;
  std::vector<char> bytes;  // dense, row-major
};
struct CompareOptions {
  BuildOptions build;            // shapes of inputs come from the stored ones
  std::set<std::string> stored;  // names of values: all inputs, and any others
  std::function<Result<StoredTensor>(const std::string& name)> load;
  double tolerance = 1e-3;     // of the range
  bool on_references = false;  // our plain references instead of an engine: which of the two is wrong?
};
struct CompareReport {
  std::vector<ComparedValue> values;   // every stored value that the model has, in the model's order
  std::vector<ComparedValue> outputs;  // the model's outputs from the engine as it is built, where nothing is kept back
  std::vector<std::string> unknown;    // stored values that the model does not have
  int64_t differing = 0;               // of both lists
};
// Runs the model with every stored value as an output, so that each node is seen alone, and then as it is built.
// Errors: as build() and `load`; invalid_argument for inputs that are not stored or do not fit.
MEMLINE_API Result<CompareReport> compare(const std::string& model, const CompareOptions& options);

// Latency against memory: one point a line.
struct FitPoint {
  int64_t line_bytes = 0;
  MemoryBill bill;
  double predicted_ms = 0;  // the sum of the steps' times as the tuner knows them
  double measured_ms = 0;   // the median of CurveOptions::runs, in turn with the other points; 0: not run
};
struct CurveOptions {
  BuildOptions build;  // memory_bytes is not looked at
  int points = 8;      // lines between the least and the roomiest plan, both inside; plans that are equal are one point
  int runs = 15;       // of each point; 0: nothing is run
};
struct FitCurve {
  int64_t least_bytes = 0;       // the least line that works
  int64_t roomy_bytes = 0;       // the bill without a line
  std::vector<FitPoint> points;  // by rising bill
};
// Errors: as build().
MEMLINE_API Result<FitCurve> fit_curve(const std::string& model, const CurveOptions& options);
// Memory to the right, latency up: measured where it was measured.
MEMLINE_API std::string curve_svg(const FitCurve& curve, const std::string& title);

// What people read: the bill as a table; the memory timeline as an SVG document.
MEMLINE_API std::string bill_text(const EngineReport& report);
MEMLINE_API std::string timeline_svg(const EngineReport& report);

}  // namespace memline::tools

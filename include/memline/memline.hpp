// Memline's C++ face for running engines. Building them is in tools.hpp; pictures, detection and segmentation in
// vision.hpp.
//
//   auto engine = memline::or_throw(memline::Engine::load("model.mline"));
//   auto session = memline::or_throw(engine.make_session());
//   memline::TensorRef in(memline::DType::f32, pixels, {1, 3, 640, 640}), out;
//   memline::or_throw(session.run({&in, 1}, {&out, 1}));  // out.data lies in the session's arena until the next run
//
// Threads: an Engine may be used from any number of threads. A Session serves one call at a time (a second caller is
// refused at once); sessions of one engine share its weights and the process's one thread pool and may run at once.
// Lifetime: a Session keeps its Engine alive. What run() returns in the session's own memory is valid until its next
// run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "memline/result.hpp"
#include "memline/tensor.hpp"

#define MEMLINE_API __attribute__((visibility("default")))

namespace memline {

// What the plan holds, by owner, in bytes. The entries add up to total.
struct BillEntry {
  std::string name;  // context, weights, activations, workspace, kernels, staging, io, results, video
  int64_t bytes = 0;
};
struct MemoryBill {
  std::vector<BillEntry> entries;
  int64_t total_bytes = 0;
  int64_t limit_bytes = 0;          // the line the engine was built under; 0: none
  int64_t arena_bytes = 0;          // activations + workspace + the session's own inputs and outputs
  int64_t lower_bound_bytes = 0;    // the largest sum of live bytes over the steps
  int64_t plain_arena_bytes = 0;    // the arena of the plain plan
  std::vector<NamedBytes> largest;  // the ten largest buffers at the peak step
};

// One input or output of an engine.
struct PortInfo {
  std::string name;
  DType dtype = DType::f32;
  std::vector<int64_t> min_dims, opt_dims, max_dims;  // equal where the extent is fixed
  int64_t max_bytes = 0;
};

struct SessionOptions {
  int threads = 0;  // 0: as many as the engine was built for; more than that is invalid_argument
};

// One step of a profiled run.
struct LayerTime {
  int32_t step = 0;  // index into EngineReport::steps of tools.hpp
  int64_t nanoseconds = 0;
};

class Session;

class MEMLINE_API Engine {
 public:
  // Maps and checks an engine file. Errors: not_found; io_error; invalid_argument with reason engine_not_ours,
  // engine_version, engine_truncated, engine_corrupt; unsupported with reason engine_target when this CPU cannot run
  // it.
  static Result<Engine> load(const std::string& path);

  const std::vector<PortInfo>& inputs() const;
  const std::vector<PortInfo>& outputs() const;
  MemoryBill bill() const;
  int threads() const;                                      // participants a run uses at most
  std::string target() const;                               // "cpu avx2"
  const std::map<std::string, std::string>& about() const;  // precision, tune, task, family, classes …

  // Takes everything the session will ever hold. Errors: invalid_argument (threads), out_of_memory.
  Result<Session> make_session(const SessionOptions& options = {}) const;

  struct Impl;
  explicit Engine(std::shared_ptr<const Impl> impl);
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

class MEMLINE_API Session {
 public:
  // The session's own memory for input i with these dims, to be filled before a run. A run may overwrite it.
  // Errors: invalid_argument (no such input; dims outside the range).
  Result<TensorRef> own_input(size_t index, std::span<const int64_t> dims);

  // Runs once and returns when the outputs are ready. A run that succeeds allocates nothing and touches no new page.
  //   inputs   one tensor an input, in the order of Engine::inputs(), dims within [min, max]; own_input()'s memory or
  //            the caller's, which is only read
  //   outputs  one tensor an output. data == nullptr: the session's own memory is used, valid until the next run;
  //            otherwise data has room for PortInfo::max_bytes. dtype and dims are set on return
  // Errors: invalid_argument (count, dtype, rank, extent, a condition between extents; reason session_busy: another
  // call is under way); device_error. The session stays usable.
  Status run(std::span<const TensorRef> inputs, std::span<TensorRef> outputs) noexcept;

  // The same, and the time of each step, in order; `times` has room for as many as it is to get.
  Status run_profiled(std::span<const TensorRef> inputs, std::span<TensorRef> outputs, std::vector<LayerTime>& times);

  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

 private:
  std::unique_ptr<Impl> impl_;
};

MEMLINE_API std::string version();

}  // namespace memline

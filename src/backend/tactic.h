// Tactic: one way to do one kind of call. Kernel: that, made ready for one step of one session. A backend has an
// ordered list of tactics, best first, its reference last. A stored step names its tactic (with a version) and its
// printed call; loading finds the tactic by name and calls make(), so a process without a compiler can run engines.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backend/op_call.h"
#include "base/parallel.h"
#include "base/run_status.h"

namespace memline {

// Yes, or no with a reason that a person can read.
class Support {
 public:
  static Support yes() { return Support(); }
  static Support no(std::string reason) {
    Support support;
    support.reason_ = std::move(reason);
    return support;
  }
  explicit operator bool() const { return reason_.empty(); }
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

#define MEML_REFUSE_IF(condition, ...)                                      \
  do {                                                                      \
    if (condition) return ::memline::Support::no(fmt::format(__VA_ARGS__)); \
  } while (false)

// Scratch bytes a kernel may use during a run: `shared` once, `per_thread` for each participant. The span a kernel
// gets begins with the shared part; participant p's part begins at shared + p * per_thread. Both are multiples of 64;
// the span is 64-byte aligned.
struct Workspace {
  int64_t shared = 0;
  int64_t per_thread = 0;
  int64_t total(int threads) const { return shared + per_thread * threads; }
};

struct KernelArgs {
  std::span<const TensorView>
      in;  // as OpCall::in; absent inputs have data == nullptr; packed inputs too (see Tactic::packs)
  std::span<TensorView> out;  // a kernel that finds counts sets the true dims
  ops::RowRange rows;  // output rows to compute, on OpCall::row_axis. out[0] is the whole value: rows are indices in it
  std::span<std::byte> workspace;
  const int64_t* slots = nullptr;
  Parallel* parallel = nullptr;
};

// Run path: allocates nothing, throws nothing, touches no memory outside its views and workspace.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual RunStatus run(const KernelArgs& args) noexcept = 0;
};

class Tactic {
 public:
  virtual ~Tactic() = default;
  virtual std::string_view name() const = 0;  // "cpu.indirect_conv.avx2"
  virtual int version() const { return 1; }   // raised when packed bytes or the order of summation change

  virtual Support supports(const OpCall& call) const = 0;
  // Exact, at the upper bound of every dimension, for any row range and any participant count up to `threads`.
  virtual Workspace workspace(const OpCall& call, int threads) const = 0;
  // Rough nanoseconds for one thread at the bound: orders candidates under --tune none and gives the menu a time
  // before any was taken.
  virtual double stored_cost(const OpCall& call) const = 0;
  // Bit i: input i may lie exactly where output 0 lies (same placement and dtype): the kernel reads each element
  // before it writes it.
  virtual uint64_t may_overwrite(const OpCall&) const { return 0; }
  // Whether any range of output rows can be computed alone, with the same bytes as the whole.
  virtual bool rows_independent(const OpCall&) const { return false; }
  // A range that is computed alone begins at a multiple of this, and ends at one or at the last row (a Winograd tile
  // reads all its input rows, more than OpDef::rows names for a part of its rows).
  virtual int64_t row_granularity(const OpCall&) const { return 1; }

  // Bit i: constant input i lives in the packed bytes, not as a tensor in the weights region.
  virtual uint64_t packs(const OpCall&) const { return 0; }
  virtual int64_t packed_bytes(const OpCall&) const { return 0; }
  // Build only: writes exactly packed_bytes() (64-byte aligned in the engine). Reads constant values from the call.
  virtual Status pack(const OpCall&, std::span<std::byte>) const { return {}; }

  // Load, and timing. May allocate; `packed` stays valid as long as the kernel.
  virtual Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte> packed) const = 0;
};

}  // namespace memline

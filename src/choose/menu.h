// Menu: what choose makes of a graph for one backend. Each value has a place in memory order and a storage dtype;
// layout copies are nodes of their own; each node that computes has candidates. fit picks from it.
//   * A `view` node moves nothing: its outputs lie inside its input wherever fit puts that. It has a copy of its
//     input ready for when that input lies so that strides cannot express the view.
//   * A `gather` node (Concat) moves nothing where fit can write its inputs straight into its output; for each input
//     it has a copy ready for when that cannot be.
//   * A `kernel` node has at least one candidate: near-best tactics by time, and always the leanest.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "graph/graph.h"

namespace memline {

using MenuValueId = int32_t;

struct MenuValue {
  std::string name;
  TensorType type;  // the storage dtype
  std::vector<int64_t> max_dims;
  AxisOrder order;
  // What its strides are made of: its dims, with the counts that its own step finds at their bound, because it is
  // written before they are known.
  std::vector<DimExpr> stride_dims;
  const Constant* constant = nullptr;  // owned by the graph; stored in `order` when it is not packed
  int32_t input = -1;                  // the model input it is, or -1
  int32_t output = -1;                 // the model output it is, or -1
};

struct Candidate {
  const Tactic* tactic = nullptr;
  Workspace workspace;
  int64_t packed_bytes = 0;
  int64_t weight_bytes = 0;    // packed_bytes, and the constant inputs that are read as they are
  int32_t rank = 0;            // place in the backend's list
  uint64_t packs = 0;          // bit i: input i lives in the packed bytes
  uint64_t may_overwrite = 0;  // bit i: output 0 may lie where input i lies
  bool rows_independent = false;
  double nanoseconds = 0;  // measured at the opt shape with the engine's threads, or the stored cost
  bool measured = false;
};

struct Refusal {
  std::string tactic, reason;
};

enum class MenuNodeKind : uint8_t { kernel, view, gather };

struct MenuNode {
  MenuNodeKind kind = MenuNodeKind::kernel;
  std::string name;
  OpCall call;
  std::vector<MenuValueId> inputs, outputs;  // -1 where absent; as call.in and call.out
  std::vector<Candidate> candidates;         // kernel only; in the backend's order, after choose() by rising time
  std::vector<Refusal> refusals;
  struct InputCopy {
    OpCall call;
    Candidate candidate;
  };
  std::vector<InputCopy> input_copies;  // gather: one an input; view: one, for what strides cannot express
  std::string why;                      // copies: the reason they exist
  int64_t flops = 0;
};

struct Menu {
  std::shared_ptr<const Graph> graph;  // keeps constants alive; slots and conditions
  std::vector<MenuValue> values;
  std::vector<MenuNode> nodes;  // topological order
  std::vector<MenuValueId> inputs, outputs;
  int threads = 1;
  std::string precision = "fp32";
  int timed_calls = 0, cached_calls = 0;
  int untimed_calls = 0;  // for want of memory: see TuneOptions::max_bytes

  const MenuValue& value(MenuValueId id) const { return values[static_cast<size_t>(id)]; }
};

// Multiply-adds of a call times two, at its max dims; 0 for what is not a convolution or matrix product.
int64_t flops_of(const OpCall& call);

}  // namespace memline

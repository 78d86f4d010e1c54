// fit: Menu + line -> Schedule. Picks for each node a candidate, an order of tasks, which outputs lie where a dying
// input lay, and plans the arena. The fastest candidates are tried first; while the bill is above the line, the swap
// that costs least time for the bytes it saves is made. Counted steps only: the same menu and line give the same
// schedule.
//   * Errors: over_budget (phase run) with the least line that works, and the ten largest buffers at the peak step.
#pragma once

#include <memory>
#include <vector>

#include "choose/menu.h"
#include "fit/homes.h"
#include "fit/order.h"
#include "memory/bill.h"
#include "memory/plan.h"

namespace memline {

struct FitOptions {
  int64_t limit_bytes = 0;  // the line; 0: none
  // The cgroup's or machine's memory: a bill above it is over_budget whatever the line; 0: unknown.
  int64_t machine_limit_bytes = 0;
  // --plan plain: whole tensors, best order and aliasing, the fastest candidates, no search for a leaner plan.
  bool plain = false;
  // Fills the entries of the bill that depend on the program, not on the plan: thread stacks, library pages, tables.
  std::function<void(const struct Schedule&, memory::Bill&)> fixed_entries;
};

// A raw constant that some kernel reads as it is, or the packed bytes of one step.
struct WeightItem {
  MenuValueId constant = -1;  // raw: this value, in its order
  int32_t task = -1;          // packed: pack() of this task's candidate
  int64_t offset = 0, bytes = 0;
};

struct Schedule {
  std::shared_ptr<const Menu> menu;
  Homes homes;                    // after in-place merging
  Order order;                    // steps: tasks, first to last
  std::vector<int32_t> pick;      // by task: index into its node's candidates (0 for copies)
  std::vector<int32_t> in_place;  // by task: the input whose memory output 0 took, or -1

  std::vector<memory::Buffer> buffers;  // live roots, then workspaces
  memory::Plan plan;
  std::vector<int32_t> root_buffer;       // by root: its buffer, or -1
  std::vector<int32_t> workspace_buffer;  // by task: its buffer, or -1

  std::vector<WeightItem> weights;
  std::vector<int32_t> packed_item;    // by task: its item, or -1
  std::vector<int32_t> constant_item;  // by menu value: its item, or -1
  int64_t weights_bytes = 0;
  int64_t plain_arena_bytes = 0;
  int64_t limit_bytes = 0;
  memory::Bill bill;

  const Task& task(int32_t id) const { return homes.tasks[static_cast<size_t>(id)]; }
  const OpCall& call(int32_t task) const;
  const Candidate& candidate(int32_t task) const;
};

// The least line that works, by bytes alone, so before anything is timed. Refuses a line below it, as fit would.
Result<int64_t> least_line(std::shared_ptr<const Menu> menu, const FitOptions& options);

Result<Schedule> fit(std::shared_ptr<const Menu> menu, const FitOptions& options);

}  // namespace memline

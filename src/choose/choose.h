// choose: Graph + Backend -> Menu. Lowers the graph (orders, copies, calls), then gives each node its candidates with a
// time: stored costs (--tune none), or measured ones, interleaved, in counted rounds, through the timing cache.
//   * A node's menu is the Pareto front of time against bytes (packed + workspace), fastest first; near-ties (3 %) go
//   by the backend's
//     list order. The leanest candidate is always on it, so the least line never depends on a timing.
//   * The reference is offered only where nothing else takes the call.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "choose/lower.h"
#include "choose/menu.h"
#include "choose/timing_cache.h"

namespace memline {

enum class Tune : uint8_t { none, quick, full };

struct TuneOptions {
  Tune tune = Tune::quick;
  LowerOptions lower;
  TimingCache* cache = nullptr;  // read and added to
  Parallel* parallel = nullptr;  // what is timed runs on it; width() is lower.threads
  int64_t max_bytes = 0;         // what timing one call may take; 0: no limit. A call over it keeps its stored costs
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(size_t done, size_t total)> progress;
};

Result<Menu> choose(std::shared_ptr<const Graph> graph, const Backend& backend, const TuneOptions& options);

}  // namespace memline

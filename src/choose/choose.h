// choose: gives the candidates of a lowered graph their times and keeps the good ones: stored costs (--tune none), or
// measured times, interleaved, in counted rounds, through the timing cache.
//   * A candidate stays unless another one is as fast (3 %), holds no more weights and no more workspace, and may
//     overwrite whatever it may. So what is leanest in any way is always there, and the least line never depends on a
//     timing.
//   * Candidates go by rising time, near-ties by the backend's list order.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "choose/menu.h"
#include "choose/timing_cache.h"

namespace memline {

enum class Tune : uint8_t { none, quick, full };

struct TuneOptions {
  Tune tune = Tune::quick;
  TimingCache* cache = nullptr;  // read and added to
  Parallel* parallel = nullptr;  // what is timed runs on it; width() is the menu's threads
  int64_t max_bytes = 0;         // what timing one call may take; 0: no limit. A call over it keeps its stored costs
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(size_t done, size_t total)> progress;
};

Status choose(Menu& menu, const TuneOptions& options);

}  // namespace memline

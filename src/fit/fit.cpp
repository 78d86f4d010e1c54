#include "fit/fit.h"

#include <algorithm>
#include <limits>

#include "fit/least.h"
#include "fit/over_budget.h"
#include "fit/scheduler.h"

namespace memline {
namespace {

// The line that holds: the one drawn, or the machine's own where that is lower.
int64_t limit_of(const FitOptions& options) {
  int64_t limit = std::numeric_limits<int64_t>::max();
  if (options.limit_bytes > 0) limit = options.limit_bytes;
  if (options.machine_limit_bytes > 0) limit = std::min(limit, options.machine_limit_bytes);
  return limit;
}

// Makes the swap that costs least time a byte saved, until the bill is below the line; `least` is known to be.
Schedule swap_until_it_fits(const Scheduler& scheduler, Schedule current, Schedule least, int64_t limit) {
  while (current.bill.total() > limit) {
    std::vector<int32_t> position(current.pick.size(), 0);
    for (size_t p = 0; p < current.order.size(); ++p)
      position[static_cast<size_t>(current.order[p])] = static_cast<int32_t>(p);
    int32_t best_task = -1, best_pick = 0;
    double best_rate = 0;
    for (size_t t = 0; t < current.pick.size(); ++t) {
      const auto* candidates = scheduler.candidates_of(static_cast<int32_t>(t));
      if (candidates == nullptr) continue;
      const auto now = static_cast<size_t>(current.pick[t]);
      for (size_t next = now + 1; next < candidates->size(); ++next) {
        const Candidate &a = (*candidates)[now], &b = (*candidates)[next];
        int64_t saved = a.weight_bytes - b.weight_bytes;
        if (position[t] == current.plan.peak_step)
          saved += a.workspace.total(scheduler.threads()) - b.workspace.total(scheduler.threads());
        if (saved <= 0) continue;
        const double rate = std::max(b.nanoseconds - a.nanoseconds, 0.0) / static_cast<double>(saved);
        if (best_task < 0 || rate < best_rate)
          best_task = static_cast<int32_t>(t), best_pick = static_cast<int32_t>(next), best_rate = rate;
      }
    }
    if (best_task < 0) return least;
    Picks picks = current.pick;
    picks[static_cast<size_t>(best_task)] = best_pick;
    current = scheduler.best_order(picks);
  }
  return current;
}

}  // namespace

Result<int64_t> least_line(std::shared_ptr<const Menu> menu, const FitOptions& options) {
  const Schedule least = least_schedule(Scheduler(std::move(menu), options));
  if (least.bill.total() > limit_of(options)) return over_budget(least, limit_of(options));
  return least.bill.total();
}

Result<Schedule> fit(std::shared_ptr<const Menu> menu, const FitOptions& options) {
  const int64_t limit = limit_of(options);
  const Scheduler scheduler(std::move(menu), options);
  Schedule result = scheduler.best_order(Picks(scheduler.tasks(), 0));
  const int64_t plain_arena = result.plan.arena_bytes;
  if (options.limit_bytes > 0 || result.bill.total() > limit) {
    Schedule least = least_schedule(scheduler);
    if (least.bill.total() > limit) return over_budget(least, limit);
    if (result.bill.total() > limit)
      result =
          options.plain ? std::move(least) : swap_until_it_fits(scheduler, std::move(result), std::move(least), limit);
  }
  result.plain_arena_bytes = plain_arena;
  result.limit_bytes = options.limit_bytes;
  return result;
}

}  // namespace memline

#include "fit/least.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace memline {
namespace {

constexpr size_t kScheduled = 4;  // how many arena sizes are scheduled for real

// A candidate that becomes possible once the arena is `arena` bytes.
struct Offer {
  int64_t arena = 0;
  int32_t task = 0, pick = 0;
};

struct Sweep {
  const Scheduler& scheduler;

  int64_t workspace(const Candidate& c) const { return c.workspace.total(scheduler.threads()); }
  const Candidate& candidate(int32_t task, int32_t pick) const {
    return (*scheduler.candidates_of(task))[static_cast<size_t>(pick)];
  }
  // Which of two candidates of a task holds less, given that the workspace of either is free.
  bool leaner(int32_t task, int32_t a, int32_t b) const {
    const auto key = [&](int32_t pick) {
      const Candidate& c = candidate(task, pick);
      return std::tuple(c.weight_bytes, workspace(c), -std::popcount(c.may_overwrite), c.rank);
    };
    return key(a) < key(b);
  }
};

// By task: the candidate with the least workspace, the leanest of them.
Picks least_workspace(const Sweep& sweep) {
  Picks picks(sweep.scheduler.tasks(), 0);
  for (size_t t = 0; t < picks.size(); ++t) {
    const auto task = static_cast<int32_t>(t);
    const auto* candidates = sweep.scheduler.candidates_of(task);
    for (int32_t c = 1; candidates != nullptr && c < static_cast<int32_t>(candidates->size()); ++c) {
      const int64_t now = sweep.workspace(sweep.candidate(task, picks[t]));
      const int64_t other = sweep.workspace(sweep.candidate(task, c));
      if (other < now || (other == now && sweep.leaner(task, c, picks[t]))) picks[t] = c;
    }
  }
  return picks;
}

// What is alive at each step beside its workspace.
std::vector<int64_t> live_beside(const Schedule& s) {
  std::vector<int64_t> change(s.order.size() + 1, 0);
  for (const int32_t buffer : s.root_buffer) {
    if (buffer < 0) continue;
    const memory::Buffer& b = s.buffers[static_cast<size_t>(buffer)];
    change[static_cast<size_t>(b.first_step)] += b.bytes;
    change[static_cast<size_t>(b.last_step) + 1] -= b.bytes;
  }
  for (size_t step = 1; step < change.size(); ++step) change[step] += change[step - 1];
  return change;
}

std::vector<Offer> offers(const Sweep& sweep, const Schedule& s) {
  const std::vector<int64_t> live = live_beside(s);
  std::vector<Offer> list;
  for (size_t step = 0; step < s.order.size(); ++step) {
    const int32_t task = s.order[step];
    const auto* candidates = sweep.scheduler.candidates_of(task);
    if (candidates == nullptr || candidates->size() < 2) continue;
    for (int32_t c = 0; c < static_cast<int32_t>(candidates->size()); ++c)
      list.push_back({std::max(live[step] + sweep.workspace(sweep.candidate(task, c)), s.plan.arena_bytes), task, c});
  }
  std::stable_sort(list.begin(), list.end(), [](const Offer& a, const Offer& b) { return a.arena < b.arena; });
  return list;
}

struct Choice {
  int64_t bytes = 0;  // the arena, and the weights bytes beyond those of the first picks (below 0 where they shrink)
  Picks picks;
};

// The best choices of a sweep over the size of the arena, from `start` up.
std::vector<Choice> best_choices(const Sweep& sweep, const Schedule& start) {
  const std::vector<Offer> list = offers(sweep, start);
  std::vector<Choice> best;
  Picks picks = start.pick;
  int64_t weights = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    const auto [arena, task, pick] = list[i];
    int32_t& now = picks[static_cast<size_t>(task)];
    if (sweep.leaner(task, pick, now)) {
      weights += sweep.candidate(task, pick).weight_bytes - sweep.candidate(task, now).weight_bytes;
      now = pick;
    }
    if (i + 1 < list.size() && list[i + 1].arena == arena) continue;
    if (best.size() == kScheduled && best.back().bytes <= arena + weights) continue;
    if (best.size() == kScheduled) best.pop_back();
    best.push_back({arena + weights, picks});
    std::stable_sort(best.begin(), best.end(), [](const Choice& a, const Choice& b) { return a.bytes < b.bytes; });
  }
  return best;
}

}  // namespace

Schedule least_schedule(const Scheduler& scheduler) {
  const Sweep sweep{scheduler};
  Schedule least = scheduler.best_order(least_workspace(sweep));
  for (const Choice& choice : best_choices(sweep, least)) {
    if (choice.picks == least.pick) continue;
    Schedule other = scheduler.best_order(choice.picks);
    if (other.bill.total() < least.bill.total()) least = std::move(other);
  }
  return least;
}

}  // namespace memline

#include "memory/improve.h"

#include <algorithm>

#include "base/size.h"

namespace memline::memory {
namespace {

constexpr int kPatience = 60;  // moves without progress before a restart
constexpr int kKicks = 4;      // random moves of a restart
constexpr int kDeepest = 3;    // how far below the top a move looks

// SplitMix64 (Steele, Lea, Flood 2014): small, and the same everywhere, unlike the standard distributions.
class Random {
 public:
  int32_t below(size_t limit) {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<int32_t>((z ^ (z >> 31)) % limit);
  }

 private:
  uint64_t state_ = 1;
};

int64_t end_of(const Problem& problem, const Placement& placement, int32_t i) {
  return placement.offsets[static_cast<size_t>(i)] + problem.buffer(i).bytes;
}

class Search {
 public:
  Search(const Problem& problem, std::vector<int32_t> order, Placement start, int64_t goal)
      : problem_(problem),
        goal_(goal),
        order_(std::move(order)),
        best_order_(order_),
        current_(std::move(start)),
        best_(current_) {
    excess_ = best_excess_ = excess_of(current_);
  }

  Placement run(int64_t max_work) {
    int since_progress = 0;
    while (work_ < max_work && best_.bytes > goal_) {
      if (since_progress++ == kPatience) {
        restart();
        since_progress = 0;
      } else if (step()) {
        since_progress = 0;
      }
    }
    return std::move(best_);
  }

 private:
  // Bytes above the goal, over all buffers.
  int64_t excess_of(const Placement& placement) const {
    int64_t excess = 0;
    for (int32_t i = 0; i < problem_.size(); ++i)
      excess = saturating_add(excess, std::max<int64_t>(end_of(problem_, placement, i) - goal_, 0));
    return excess;
  }

  Placement place_within(int64_t at_most) {
    Placement placement = place(problem_, order_, Gap::lowest, at_most);
    work_ += placement.work;
    return placement;
  }

  // One move; true when it led to the best state so far.
  bool step() {
    ++work_;
    const Shift shift = shift_of(culprit());
    if (shift.from < 0) return false;
    apply(shift);
    Placement next = place_within(current_.bytes);
    const int64_t excess = next.bytes <= current_.bytes ? excess_of(next) : 0;
    if (next.bytes > current_.bytes || (next.bytes == current_.bytes && excess > excess_)) {
      undo(shift);
      return false;
    }
    current_ = std::move(next);
    excess_ = excess;
    if (current_.bytes > best_.bytes || (current_.bytes == best_.bytes && excess_ >= best_excess_)) return false;
    best_ = current_;
    best_excess_ = excess_;
    best_order_ = order_;
    return true;
  }

  void restart() {
    order_ = best_order_;
    for (int kick = 0; kick < kKicks; ++kick) {
      const Shift shift = shift_of(random_.below(order_.size()));
      if (shift.from >= 0) apply(shift);
    }
    const int64_t at_most = best_.bytes + best_.bytes / 8;
    current_ = place_within(at_most);
    if (current_.bytes > at_most) {
      order_ = best_order_;
      current_ = best_;
    }
    excess_ = excess_of(current_);
  }

  // A buffer at the top of the arena, or one below it that it rests on.
  int32_t culprit() {
    std::vector<int32_t> tops;
    for (int32_t i = 0; i < problem_.size(); ++i)
      if (end_of(problem_, current_, i) == current_.bytes) tops.push_back(i);
    int32_t chosen = tops[static_cast<size_t>(random_.below(tops.size()))];
    for (int depth = random_.below(kDeepest); depth > 0; --depth) {
      std::vector<int32_t> below;
      const int64_t offset = current_.offsets[static_cast<size_t>(chosen)];
      for (const int32_t other : problem_.neighbours(chosen)) {
        const int64_t end = end_of(problem_, current_, other);
        if (end <= offset && end + problem_.buffer(chosen).alignment > offset) below.push_back(other);
      }
      if (below.empty()) break;
      chosen = below[static_cast<size_t>(random_.below(below.size()))];
    }
    return chosen;
  }

  // The buffer at `from` in the order goes to `to` < from; -1 when there is no such move.
  struct Shift {
    std::ptrdiff_t to = -1, from = -1;
  };
  // To just before a random neighbour that precedes it.
  Shift shift_of(int32_t buffer) {
    const auto at = std::find(order_.begin(), order_.end(), buffer);
    const auto neighbours = problem_.neighbours(buffer);
    if (neighbours.empty()) return {};
    const auto first = static_cast<size_t>(random_.below(neighbours.size()));
    for (size_t k = 0; k < neighbours.size(); ++k) {
      const auto to = std::find(order_.begin(), at, neighbours[(first + k) % neighbours.size()]);
      if (to != at) return {to - order_.begin(), at - order_.begin()};
    }
    return {};
  }
  void apply(Shift s) { std::rotate(order_.begin() + s.to, order_.begin() + s.from, order_.begin() + s.from + 1); }
  void undo(Shift s) { std::rotate(order_.begin() + s.to, order_.begin() + s.to + 1, order_.begin() + s.from + 1); }

  const Problem& problem_;
  const int64_t goal_;
  Random random_;
  std::vector<int32_t> order_, best_order_;
  Placement current_, best_;
  int64_t excess_ = 0, best_excess_ = 0, work_ = 0;
};

}  // namespace

Placement improve(const Problem& problem, std::vector<int32_t> order, Placement start, int64_t goal, int64_t max_work) {
  return Search(problem, std::move(order), std::move(start), goal).run(max_work);
}

}  // namespace memline::memory

// Scheduler: picks (a candidate for each task) -> the schedule they give. Tries each order of tasks, lets outputs take
// the memory of inputs that die, plans the arena, places the weights and makes the bill. Counted steps only.
#pragma once

#include <memory>
#include <vector>

#include "fit/fit.h"

namespace memline {

// By task: an index into its node's candidates; 0 for copies.
using Picks = std::vector<int32_t>;

class Scheduler {
 public:
  Scheduler(std::shared_ptr<const Menu> menu, const FitOptions& options);

  // Orders are compared by greedy plans; the best one is then searched.
  Schedule best_order(const Picks& picks) const;

  size_t tasks() const { return homes_.tasks.size(); }
  int threads() const { return menu_->threads; }
  // What there is to pick from for a task; nullptr for a copy, which has one candidate.
  const std::vector<Candidate>* candidates_of(int32_t task) const;

 private:
  Schedule schedule(const Picks& picks, const Order& order) const;
  void merge_in_place(Schedule& s) const;
  void add_buffers(Schedule& s) const;
  void place_weights(Schedule& s) const;
  void make_bill(Schedule& s) const;

  std::shared_ptr<const Menu> menu_;
  const FitOptions& options_;
  Homes homes_;
  std::vector<Order> orders_;
};

}  // namespace memline

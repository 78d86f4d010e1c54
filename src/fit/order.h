// Orders of a set of tasks that respect what must come before what: the model's own, depth first from the outputs, and
// greedy by live bytes. fit plans each and keeps the one that needs least.
#pragma once

#include <cstdint>
#include <vector>

#include "fit/homes.h"

namespace memline {

using Order = std::vector<int32_t>;  // tasks, first to last

// The first is the model's own. Each is a permutation of all tasks; equal ones are left out.
std::vector<Order> candidate_orders(const Homes& homes);

// First and last position at which each root is touched; {-1, -1} for one that no task touches.
struct Span {
  int32_t first = -1, last = -1;
};
std::vector<Span> root_spans(const Homes& homes, const Order& order);

}  // namespace memline

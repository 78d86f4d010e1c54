#include "fit/order.h"

#include <algorithm>
#include <limits>
#include <set>

namespace memline {
namespace {

std::set<int32_t> roots_of(const Task& task) {
  std::set<int32_t> roots;
  for (const Home& home : task.in_homes)
    if (home.root >= 0) roots.insert(home.root);
  for (const Home& home : task.out_homes)
    if (home.root >= 0) roots.insert(home.root);
  return roots;
}

// As the model has them, but for those whose branch is decided later.
Order as_given(const Homes& homes) {
  std::vector<size_t> waiting(homes.tasks.size());
  std::vector<std::vector<int32_t>> unblocks(homes.tasks.size());
  std::set<int32_t> ready;
  for (size_t t = 0; t < homes.after.size(); ++t) {
    waiting[t] = homes.after[t].size();
    for (const int32_t before : homes.after[t])
      unblocks[static_cast<size_t>(before)].push_back(static_cast<int32_t>(t));
    if (waiting[t] == 0) ready.insert(static_cast<int32_t>(t));
  }
  Order order;
  while (!ready.empty()) {
    const int32_t task = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(task);
    for (const int32_t next : unblocks[static_cast<size_t>(task)])
      if (--waiting[static_cast<size_t>(next)] == 0) ready.insert(next);
  }
  return order;
}

Order depth_first(const Homes& homes) {
  const auto count = static_cast<int32_t>(homes.tasks.size());
  std::vector<bool> read(homes.tasks.size(), false), done(homes.tasks.size(), false);
  for (const auto& before : homes.after)
    for (const int32_t task : before) read[static_cast<size_t>(task)] = true;
  Order order;
  std::vector<std::pair<int32_t, size_t>> stack;
  for (int32_t sink = 0; sink < count; ++sink) {
    if (read[static_cast<size_t>(sink)]) continue;
    stack.push_back({sink, 0});
    while (!stack.empty()) {
      auto& [task, next] = stack.back();
      const auto& before = homes.after[static_cast<size_t>(task)];
      if (done[static_cast<size_t>(task)]) {
        stack.pop_back();
      } else if (next < before.size()) {
        const int32_t wanted = before[next++];
        if (!done[static_cast<size_t>(wanted)]) stack.push_back({wanted, 0});
      } else {
        done[static_cast<size_t>(task)] = true;
        order.push_back(task);
        stack.pop_back();
      }
    }
  }
  return order;
}

// Always runs the ready task after which the fewest bytes are live; ties go to the one that became ready last.
class Greedy {
 public:
  explicit Greedy(const Homes& homes) : homes_(homes) {
    uses_.assign(homes.roots.size(), 0);
    begun_.assign(homes.roots.size(), false);
    for (const Task& task : homes.tasks) {
      roots_.push_back(roots_of(task));
      for (const int32_t root : roots_.back()) ++uses_[static_cast<size_t>(root)];
    }
    waiting_.resize(homes.tasks.size());
    unblocks_.resize(homes.tasks.size());
    for (size_t t = 0; t < homes.after.size(); ++t) {
      waiting_[t] = homes.after[t].size();
      for (const int32_t before : homes.after[t])
        unblocks_[static_cast<size_t>(before)].push_back(static_cast<int32_t>(t));
      if (waiting_[t] == 0) ready_.push_back(static_cast<int32_t>(t));
    }
  }

  Order run() {
    Order order;
    while (!ready_.empty()) {
      size_t best = 0;
      int64_t least = std::numeric_limits<int64_t>::max();
      for (size_t i = 0; i < ready_.size(); ++i) {
        const int64_t bytes = bytes_after(ready_[i]);
        if (bytes <= least) least = bytes, best = i;
      }
      const int32_t task = ready_[best];
      ready_.erase(ready_.begin() + static_cast<ptrdiff_t>(best));
      for (const int32_t root : roots_[static_cast<size_t>(task)]) {
        begun_[static_cast<size_t>(root)] = true;
        --uses_[static_cast<size_t>(root)];
      }
      order.push_back(task);
      for (const int32_t next : unblocks_[static_cast<size_t>(task)])
        if (--waiting_[static_cast<size_t>(next)] == 0) ready_.push_back(next);
    }
    return order;
  }

 private:
  int64_t bytes_after(int32_t task) const {
    int64_t bytes = 0;
    for (const int32_t root : roots_[static_cast<size_t>(task)]) {
      const auto r = static_cast<size_t>(root);
      if (!begun_[r]) bytes += homes_.roots[r].bytes;
      if (uses_[r] == 1 && homes_.roots[r].region != memory::Region::output) bytes -= homes_.roots[r].bytes;
    }
    return bytes;
  }

  const Homes& homes_;
  std::vector<std::set<int32_t>> roots_;
  std::vector<int32_t> uses_;
  std::vector<bool> begun_;
  std::vector<size_t> waiting_;
  std::vector<std::vector<int32_t>> unblocks_;
  std::vector<int32_t> ready_;
};

}  // namespace

std::vector<Order> candidate_orders(const Homes& homes) {
  std::vector<Order> orders = {as_given(homes)};
  for (Order order : {depth_first(homes), Greedy(homes).run()})
    if (std::find(orders.begin(), orders.end(), order) == orders.end()) orders.push_back(std::move(order));
  return orders;
}

std::vector<Span> root_spans(const Homes& homes, const Order& order) {
  std::vector<Span> spans(homes.roots.size());
  for (size_t position = 0; position < order.size(); ++position) {
    for (const int32_t root : roots_of(homes.tasks[static_cast<size_t>(order[position])])) {
      Span& span = spans[static_cast<size_t>(root)];
      if (span.first < 0) span.first = static_cast<int32_t>(position);
      span.last = static_cast<int32_t>(position);
    }
  }
  const auto end = static_cast<int32_t>(order.size()) - 1;
  for (size_t r = 0; r < spans.size(); ++r) {
    if (homes.roots[r].region == memory::Region::input) spans[r].first = 0, spans[r].last = std::max(spans[r].last, 0);
    if (homes.roots[r].region == memory::Region::output)
      spans[r].first = std::max(spans[r].first, 0), spans[r].last = std::max(end, 0);
  }
  return spans;
}

}  // namespace memline

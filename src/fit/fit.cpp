#include "fit/fit.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "base/size.h"
#include "fit/inverse_view.h"
#include "fit/over_budget.h"

namespace memline {
namespace {

// The picks of a schedule: by task, an index into its candidates.
using Picks = std::vector<int32_t>;

constexpr int64_t kSearchedStates = 200'000;  // placements of single buffers: some 10 ms for a network of 100 steps

class Fitter {
 public:
  Fitter(std::shared_ptr<const Menu> menu, const FitOptions& options)
      : menu_(std::move(menu)), options_(options), homes_(place_values(*menu_)), orders_(candidate_orders(homes_)) {
    if (options.limit_bytes > 0) limit_ = options.limit_bytes;
    if (options.machine_limit_bytes > 0) limit_ = std::min(limit_, options.machine_limit_bytes);
  }

  Result<Schedule> run() {
    Schedule result = best_order(Picks(homes_.tasks.size(), 0));
    const int64_t plain_arena = result.plan.arena_bytes;
    if (result.bill.total() > limit_) {
      Schedule leanest = best_order(leanest_picks());
      // Packed bytes add up, workspaces share their place: what is leanest step by step may hold more than the fastest.
      if (leanest.bill.total() > limit_)
        return over_budget(leanest.bill.total() < result.bill.total() ? leanest : result, limit_);
      result = options_.plain ? std::move(leanest) : swap_until_it_fits(std::move(result), std::move(leanest));
    }
    result.plain_arena_bytes = plain_arena;
    result.limit_bytes = options_.limit_bytes;
    return result;
  }

 private:
  const std::vector<Candidate>* candidates_of(int32_t task) const {
    const Task& t = homes_.tasks[static_cast<size_t>(task)];
    return t.copied_input >= 0 ? nullptr : &menu_->nodes[static_cast<size_t>(t.node)].candidates;
  }

  Picks leanest_picks() const {
    Picks picks(homes_.tasks.size(), 0);
    for (size_t t = 0; t < picks.size(); ++t)
      if (const auto* candidates = candidates_of(static_cast<int32_t>(t)))
        picks[t] = static_cast<int32_t>(candidates->size()) - 1;
    return picks;
  }

  // Orders are compared by greedy plans; the best one is then searched.
  Schedule best_order(const Picks& picks) const {
    Schedule best = schedule(picks, orders_.front());
    for (size_t i = 1; i < orders_.size(); ++i) {
      Schedule other = schedule(picks, orders_[i]);
      if (other.plan.arena_bytes < best.plan.arena_bytes) best = std::move(other);
    }
    best.plan = memory::plan(best.buffers, kSearchedStates);
    make_bill(best);
    return best;
  }

  Schedule schedule(const Picks& picks, const Order& order) const;
  void merge_in_place(Schedule& s) const;
  void add_buffers(Schedule& s) const;
  void place_weights(Schedule& s) const;
  void make_bill(Schedule& s) const;
  Schedule swap_until_it_fits(Schedule current, Schedule leanest) const;

  std::shared_ptr<const Menu> menu_;
  const FitOptions& options_;
  Homes homes_;
  std::vector<Order> orders_;
  int64_t limit_ = std::numeric_limits<int64_t>::max();
};

Schedule Fitter::schedule(const Picks& picks, const Order& order) const {
  Schedule s;
  s.menu = menu_;
  s.homes = homes_;
  s.order = order;
  s.pick = picks;
  merge_in_place(s);
  add_buffers(s);
  s.plan = memory::plan(s.buffers, 0);
  place_weights(s);
  make_bill(s);
  return s;
}

// An output takes the memory of an input that dies at its step, where the kernel allows it and both lie alike.
void Fitter::merge_in_place(Schedule& s) const {
  std::vector<Span> spans = root_spans(s.homes, s.order);
  s.in_place.assign(s.homes.tasks.size(), -1);
  std::vector<int32_t> moved(s.homes.roots.size());
  std::iota(moved.begin(), moved.end(), 0);
  const auto now = [&](int32_t root) {
    while (moved[static_cast<size_t>(root)] != root) root = moved[static_cast<size_t>(root)];
    return root;
  };
  for (size_t position = 0; position < s.order.size(); ++position) {
    const int32_t id = s.order[position];
    const Task& task = s.task(id);
    if (task.out_homes.size() != 1 || task.out_homes[0].root < 0 || task.copied_input >= 0) continue;
    const uint64_t allowed = s.candidate(id).may_overwrite;
    const OpCall& call = s.call(id);
    const int32_t out = task.out_homes[0].root;
    if (s.homes.roots[static_cast<size_t>(out)].region != memory::Region::arena ||
        spans[static_cast<size_t>(out)].first != static_cast<int32_t>(position))
      continue;
    for (size_t i = 0; i < task.in_homes.size() && i < 64; ++i) {
      if (!(allowed >> i & 1) || task.in_homes[i].root < 0) continue;
      const int32_t in = now(task.in_homes[i].root);
      const auto r = static_cast<size_t>(in);
      const auto shares = std::count_if(task.in_homes.begin(), task.in_homes.end(),
                                        [&](const Home& home) { return home.root >= 0 && now(home.root) == in; });
      if (in == out || shares != 1 || s.homes.roots[r].region != memory::Region::arena ||
          spans[r].last != static_cast<int32_t>(position) ||
          s.homes.roots[r].bytes != s.homes.roots[static_cast<size_t>(out)].bytes ||
          call.in[i].type != call.out[0].type ||
          !same_placement(task.in_homes[i].at, task.out_homes[0].at, call.out[0].type.dims))
        continue;
      moved[static_cast<size_t>(out)] = in;
      spans[r].last = spans[static_cast<size_t>(out)].last;
      s.in_place[static_cast<size_t>(id)] = static_cast<int32_t>(i);
      break;
    }
  }
  for (Task& task : s.homes.tasks) {
    for (Home& home : task.in_homes)
      if (home.root >= 0) home.root = now(home.root);
    for (Home& home : task.out_homes)
      if (home.root >= 0) home.root = now(home.root);
  }
  for (Home& home : s.homes.of_value)
    if (home.root >= 0) home.root = now(home.root);
}

void Fitter::add_buffers(Schedule& s) const {
  const std::vector<Span> spans = root_spans(s.homes, s.order);
  s.root_buffer.assign(s.homes.roots.size(), -1);
  for (size_t r = 0; r < spans.size(); ++r) {
    if (spans[r].first < 0) continue;
    const Root& root = s.homes.roots[r];
    s.root_buffer[r] = static_cast<int32_t>(s.buffers.size());
    s.buffers.push_back({.name = root.name,
                         .bytes = root.bytes,
                         .first_step = spans[r].first,
                         .last_step = spans[r].last,
                         .region = root.region});
  }
  s.workspace_buffer.assign(s.homes.tasks.size(), -1);
  for (size_t position = 0; position < s.order.size(); ++position) {
    const int32_t task = s.order[position];
    const int64_t bytes = s.candidate(task).workspace.total(menu_->threads);
    if (bytes == 0) continue;
    const auto step = static_cast<int32_t>(position);
    s.workspace_buffer[static_cast<size_t>(task)] = static_cast<int32_t>(s.buffers.size());
    s.buffers.push_back({.name = menu_->nodes[static_cast<size_t>(s.task(task).node)].name + " (workspace)",
                         .bytes = bytes,
                         .first_step = step,
                         .last_step = step,
                         .region = memory::Region::arena});
  }
}

void Fitter::place_weights(Schedule& s) const {
  s.packed_item.assign(s.homes.tasks.size(), -1);
  s.constant_item.assign(menu_->values.size(), -1);
  std::map<std::string, int32_t> packed;  // equal steps over the same constants share their packed bytes
  const auto add = [&](WeightItem item) {
    item.offset = s.weights_bytes;
    s.weights_bytes += align_up(item.bytes, 64);
    s.weights.push_back(item);
    return static_cast<int32_t>(s.weights.size() - 1);
  };
  for (const int32_t id : s.order) {
    const Task& task = s.task(id);
    const Candidate& candidate = s.candidate(id);
    const OpCall& call = s.call(id);
    if (candidate.packed_bytes > 0) {
      std::string key = std::string(candidate.tactic->name()) + call.text();
      for (size_t i = 0; i < call.in.size(); ++i)
        if (call.in[i].is_constant) key += fmt::format(" {}", call.in[i].value.data);
      const auto [found, fresh] = packed.try_emplace(key, -1);
      if (fresh) found->second = add({.task = id, .bytes = candidate.packed_bytes});
      s.packed_item[static_cast<size_t>(id)] = found->second;
    }
    for (size_t i = 0; i < task.in.size(); ++i) {
      const MenuValueId value = task.in[i];
      if (value < 0 || menu_->value(value).constant == nullptr || (candidate.packs >> i & 1)) continue;
      int32_t& item = s.constant_item[static_cast<size_t>(value)];
      if (item < 0)
        item = add({.constant = value,
                    .bytes = menu_->value(value).constant->view.elements() * size_of(menu_->value(value).type.dtype)});
    }
  }
}

void Fitter::make_bill(Schedule& s) const {
  int64_t workspace = 0, io = 0;
  const auto live = [&](const memory::Buffer& b) {
    return b.first_step <= s.plan.peak_step && s.plan.peak_step <= b.last_step;
  };
  for (const int32_t buffer : s.workspace_buffer)
    if (buffer >= 0 && live(s.buffers[static_cast<size_t>(buffer)]))
      workspace += s.buffers[static_cast<size_t>(buffer)].bytes;
  for (const memory::Buffer& buffer : s.buffers)
    if (buffer.region != memory::Region::arena && live(buffer)) io += buffer.bytes;
  s.bill.workspace = workspace;
  s.bill.io = io;
  s.bill.activations = s.plan.arena_bytes - workspace - io;
  s.bill.weights = align_up(s.weights_bytes, 4096);
  if (options_.fixed_entries) options_.fixed_entries(s, s.bill);
}

// Makes the swap that costs least time a byte saved, until the bill is below the line; `leanest` is known to be.
Schedule Fitter::swap_until_it_fits(Schedule current, Schedule leanest) const {
  while (current.bill.total() > limit_) {
    std::vector<int32_t> position(current.pick.size(), 0);
    for (size_t p = 0; p < current.order.size(); ++p)
      position[static_cast<size_t>(current.order[p])] = static_cast<int32_t>(p);
    int32_t best_task = -1, best_pick = 0;
    double best_rate = 0;
    for (size_t t = 0; t < current.pick.size(); ++t) {
      const auto* candidates = candidates_of(static_cast<int32_t>(t));
      if (candidates == nullptr) continue;
      const auto now = static_cast<size_t>(current.pick[t]);
      for (size_t next = now + 1; next < candidates->size(); ++next) {
        const Candidate &a = (*candidates)[now], &b = (*candidates)[next];
        int64_t saved = a.packed_bytes - b.packed_bytes;
        if (position[t] == current.plan.peak_step)
          saved += a.workspace.total(menu_->threads) - b.workspace.total(menu_->threads);
        if (saved <= 0) continue;
        const double rate = std::max(b.nanoseconds - a.nanoseconds, 0.0) / static_cast<double>(saved);
        if (best_task < 0 || rate < best_rate)
          best_task = static_cast<int32_t>(t), best_pick = static_cast<int32_t>(next), best_rate = rate;
      }
    }
    if (best_task < 0) return leanest;
    Picks picks = current.pick;
    picks[static_cast<size_t>(best_task)] = best_pick;
    current = best_order(picks);
  }
  return current;
}

}  // namespace

const OpCall& Schedule::call(int32_t id) const {
  const Task& t = task(id);
  const MenuNode& node = menu->nodes[static_cast<size_t>(t.node)];
  return t.copied_input >= 0 ? node.input_copies[static_cast<size_t>(t.copied_input)].call : node.call;
}

const Candidate& Schedule::candidate(int32_t id) const {
  const Task& t = task(id);
  const MenuNode& node = menu->nodes[static_cast<size_t>(t.node)];
  return t.copied_input >= 0 ? node.input_copies[static_cast<size_t>(t.copied_input)].candidate
                             : node.candidates[static_cast<size_t>(pick[static_cast<size_t>(id)])];
}

Result<Schedule> fit(std::shared_ptr<const Menu> menu, const FitOptions& options) {
  return Fitter(std::move(menu), options).run();
}

}  // namespace memline

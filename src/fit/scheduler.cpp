#include "fit/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/size.h"
#include "fit/inverse_view.h"

namespace memline {
namespace {

constexpr int64_t kSearchedStates = 200'000;  // placements of single buffers: some 10 ms for a network of 100 steps

// What packed bytes depend on: the tactic, the constants, and what is done with them. Never extents that are computed:
// one head over the five levels of a pyramid has its weights once.
std::string packing_key(const Candidate& candidate, const OpCall& call) {
  std::string key = fmt::format("{}/{} {} {} {}", candidate.tactic->name(), candidate.tactic->version(), call.op->name,
                                call.attrs.text(), candidate.packed_bytes);
  for (const ops::Epilogue& epilogue : call.epilogues) key += " " + ops::epilogue_text(epilogue);
  for (const CallOperand& operand : call.in) {
    if (operand.is_constant)
      key += fmt::format(" {}@{}={}", operand.type.text(), operand.order.text(), operand.value.data);
    else
      key += operand.present ? fmt::format(" {}", operand.type.dtype) : " _";
  }
  return key + fmt::format(" -> {}", call.out[0].type.dtype);
}

}  // namespace

Scheduler::Scheduler(std::shared_ptr<const Menu> menu, const FitOptions& options)
    : menu_(std::move(menu)), options_(options), homes_(place_values(*menu_)), orders_(candidate_orders(homes_)) {}

const std::vector<Candidate>* Scheduler::candidates_of(int32_t task) const {
  const Task& t = homes_.tasks[static_cast<size_t>(task)];
  return t.copied_input >= 0 ? nullptr : &menu_->nodes[static_cast<size_t>(t.node)].candidates;
}

Schedule Scheduler::best_order(const Picks& picks) const {
  Schedule best = schedule(picks, orders_.front());
  for (size_t i = 1; i < orders_.size(); ++i) {
    Schedule other = schedule(picks, orders_[i]);
    if (other.plan.arena_bytes < best.plan.arena_bytes) best = std::move(other);
  }
  best.plan = memory::plan(best.buffers, kSearchedStates);
  make_bill(best);
  return best;
}

Schedule Scheduler::schedule(const Picks& picks, const Order& order) const {
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
void Scheduler::merge_in_place(Schedule& s) const {
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

void Scheduler::add_buffers(Schedule& s) const {
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

void Scheduler::place_weights(Schedule& s) const {
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
      const auto [found, fresh] = packed.try_emplace(packing_key(candidate, call), -1);
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

void Scheduler::make_bill(Schedule& s) const {
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

}  // namespace memline

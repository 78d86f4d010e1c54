// How offsets are found:
//   * The lower bound is the largest sum of live bytes over the steps. A plan that meets it (with sizes rounded up to
//     the common alignment) is done.
//   * Greedy: the buffers are placed one by one in several orders (by size; by size x lifetime; by lifetime; by first
//     step; by contention, that is the largest sum of live bytes during their life), each at the lowest and at the
//     tightest gap that fits. The smallest arena wins; the first one among equals.
//   * Search: improve() reorders from the best of them, for a counted amount of work (memory/improve.h).
//   * verify() checks the result, always.
#include "memory/plan.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "base/check.h"
#include "base/size.h"
#include "memory/improve.h"
#include "memory/placement.h"
#include "memory/verify.h"

namespace memline::memory {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

using Order = std::vector<int32_t>;

int64_t lifetime(const Buffer& buffer) { return int64_t{buffer.last_step} - buffer.first_step + 1; }

// Live bytes, step by step where they change.
struct Load {
  std::vector<int32_t> steps;  // ascending
  std::vector<int64_t> bytes;  // live from steps[i] until steps[i + 1]
  int64_t least_arena = 0;     // what no plan can be below, offsets being multiples of `unit`
};

// At one step all buffers but the highest take their sizes rounded up to `unit`: that bounds the arena from below a
// little more than the live bytes do.
Load load_of(std::span<const Buffer> buffers, int64_t unit) {
  struct Change {
    int64_t step;
    int32_t buffer;
    bool begins;
  };
  std::vector<Change> changes;
  for (size_t i = 0; i < buffers.size(); ++i) {
    changes.push_back({buffers[i].first_step, static_cast<int32_t>(i), true});
    changes.push_back({int64_t{buffers[i].last_step} + 1, static_cast<int32_t>(i), false});
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.step < b.step; });
  Load load;
  int64_t live = 0, rounded = 0;
  std::multiset<int64_t> paddings;
  for (size_t i = 0; i < changes.size(); ++i) {
    const int64_t bytes = buffers[static_cast<size_t>(changes[i].buffer)].bytes,
                  padding = align_up(bytes, unit) - bytes;
    live += changes[i].begins ? bytes : -bytes;
    rounded += changes[i].begins ? bytes + padding : -bytes - padding;
    if (changes[i].begins)
      paddings.insert(padding);
    else
      paddings.erase(paddings.find(padding));
    if (i + 1 < changes.size() && changes[i + 1].step == changes[i].step) continue;
    if (changes[i].step > std::numeric_limits<int32_t>::max()) break;
    load.steps.push_back(static_cast<int32_t>(changes[i].step));
    load.bytes.push_back(live);
    if (!paddings.empty()) load.least_arena = std::max(load.least_arena, rounded - *paddings.rbegin());
  }
  return load;
}

// The largest live bytes during each buffer's life.
std::vector<int64_t> contention_of(const Problem& problem, const Load& load) {
  std::vector<int64_t> contention(static_cast<size_t>(problem.size()));
  for (int32_t i = 0; i < problem.size(); ++i) {
    const Buffer& buffer = problem.buffer(i);
    const auto first = std::lower_bound(load.steps.begin(), load.steps.end(), buffer.first_step) - load.steps.begin();
    const auto end = std::upper_bound(load.steps.begin(), load.steps.end(), buffer.last_step) - load.steps.begin();
    contention[static_cast<size_t>(i)] = *std::max_element(load.bytes.begin() + first, load.bytes.begin() + end);
  }
  return contention;
}

// Descending by `key`; larger buffers first among equals, then in the order given.
template <typename Key>
Order sorted_by(const Problem& problem, Key key) {
  Order order(static_cast<size_t>(problem.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const auto x = key(a), y = key(b);
    return x != y ? x > y : problem.buffer(a).bytes > problem.buffer(b).bytes;
  });
  return order;
}

std::vector<Order> greedy_orders(const Problem& problem, const Load& load) {
  const std::vector<int64_t> contention = contention_of(problem, load);
  return {
      sorted_by(problem, [&](int32_t i) { return problem.buffer(i).bytes; }),
      sorted_by(problem,
                [&](int32_t i) { return saturating_mul(problem.buffer(i).bytes, lifetime(problem.buffer(i))); }),
      sorted_by(problem, [&](int32_t i) { return contention[static_cast<size_t>(i)]; }),
      sorted_by(problem, [&](int32_t i) { return lifetime(problem.buffer(i)); }),
      sorted_by(problem, [&](int32_t i) { return -problem.buffer(i).first_step; }),
  };
}

Placement best_placement(const Problem& problem, const Load& load, int64_t max_work) {
  Placement best{.bytes = kMost};
  Order best_order;
  for (Order& order : greedy_orders(problem, load)) {
    for (const Gap gap : {Gap::lowest, Gap::tightest}) {
      Placement placement = place(problem, order, gap, best.bytes - 1);
      if (placement.bytes >= best.bytes) continue;
      best = std::move(placement);
      best_order = order;
      if (best.bytes <= load.least_arena) return best;
    }
  }
  return improve(problem, std::move(best_order), std::move(best), load.least_arena, max_work);
}

// False when the sizes, each rounded up, add up to more than an int64_t can hold with room to spare.
bool addressable(std::span<const Buffer> buffers, int64_t& no_reuse_bytes) {
  int64_t rounded = 0;
  no_reuse_bytes = 0;
  for (const Buffer& buffer : buffers) {
    MEML_CHECK(buffer.bytes >= 0 && buffer.first_step >= 0 && buffer.first_step <= buffer.last_step);
    MEML_CHECK(buffer.alignment > 0 && (buffer.alignment & (buffer.alignment - 1)) == 0);
    no_reuse_bytes = saturating_add(no_reuse_bytes, buffer.bytes);
    rounded = saturating_add(rounded, saturating_add(buffer.bytes, buffer.alignment));
  }
  return rounded < kMost / 2;
}

}  // namespace

Plan plan(std::span<const Buffer> buffers, int64_t max_work) {
  Plan plan{.offsets = std::vector<int64_t>(buffers.size(), 0)};
  if (!addressable(buffers, plan.no_reuse_bytes)) {
    plan.arena_bytes = plan.lower_bound_bytes = kMost;
    return plan;
  }
  std::vector<int32_t> kept;  // what takes space
  int64_t unit = kMost / 2 + 1;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].bytes == 0) continue;
    kept.push_back(static_cast<int32_t>(i));
    unit = std::min(unit, buffers[i].alignment);
  }
  if (kept.empty()) return plan;

  const Load load = load_of(buffers, unit);
  const auto peak = std::max_element(load.bytes.begin(), load.bytes.end());
  plan.lower_bound_bytes = *peak;
  plan.peak_step = load.steps[static_cast<size_t>(peak - load.bytes.begin())];

  const Problem problem(buffers, kept);
  const Placement best = best_placement(problem, load, max_work);
  for (size_t i = 0; i < kept.size(); ++i) plan.offsets[static_cast<size_t>(kept[i])] = best.offsets[i];
  plan.arena_bytes = best.bytes;
  MEML_CHECK(verify(buffers, plan.offsets, plan.arena_bytes));
  return plan;
}

}  // namespace memline::memory

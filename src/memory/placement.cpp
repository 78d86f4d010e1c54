#include "memory/placement.h"

#include <algorithm>
#include <numeric>

#include "base/size.h"

namespace memline::memory {
namespace {

struct Extent {
  int64_t begin, end;
};

// Where a buffer fits between `taken`, which ascends by begin.
int64_t offset_between(const Buffer& buffer, std::span<const Extent> taken, Gap gap) {
  int64_t free_from = 0, best = -1, best_gap = 0;
  for (const Extent& extent : taken) {
    const int64_t offset = align_up(free_from, buffer.alignment);
    if (offset + buffer.bytes <= extent.begin && (best < 0 || extent.begin - free_from < best_gap)) {
      if (gap == Gap::lowest) return offset;
      best = offset;
      best_gap = extent.begin - free_from;
    }
    free_from = std::max(free_from, extent.end);
  }
  return best >= 0 ? best : align_up(free_from, buffer.alignment);
}

}  // namespace

Problem::Problem(std::span<const Buffer> buffers, std::span<const int32_t> kept)
    : buffers_(buffers), kept_(kept), begin_(kept.size() + 1, 0) {
  std::vector<int32_t> by_start(kept.size());
  std::iota(by_start.begin(), by_start.end(), 0);
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](int32_t a, int32_t b) { return buffer(a).first_step < buffer(b).first_step; });
  std::vector<std::vector<int32_t>> lists(kept.size());
  std::vector<int32_t> alive;
  for (const int32_t i : by_start) {
    std::erase_if(alive, [&](int32_t other) { return buffer(other).last_step < buffer(i).first_step; });
    for (const int32_t other : alive) {
      lists[static_cast<size_t>(i)].push_back(other);
      lists[static_cast<size_t>(other)].push_back(i);
    }
    alive.push_back(i);
  }
  for (size_t i = 0; i < lists.size(); ++i) {
    neighbours_.insert(neighbours_.end(), lists[i].begin(), lists[i].end());
    begin_[i + 1] = neighbours_.size();
  }
}

Placement place(const Problem& problem, std::span<const int32_t> order, Gap gap, int64_t at_most) {
  Placement placement{.offsets = std::vector<int64_t>(static_cast<size_t>(problem.size()), -1)};
  std::vector<Extent> taken;
  for (const int32_t i : order) {
    taken.clear();
    placement.work += 1 + static_cast<int64_t>(problem.neighbours(i).size());
    for (const int32_t other : problem.neighbours(i)) {
      const int64_t offset = placement.offsets[static_cast<size_t>(other)];
      if (offset >= 0) taken.push_back({offset, offset + problem.buffer(other).bytes});
    }
    std::sort(taken.begin(), taken.end(), [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
    const int64_t offset = offset_between(problem.buffer(i), taken, gap);
    placement.offsets[static_cast<size_t>(i)] = offset;
    placement.bytes = std::max(placement.bytes, offset + problem.buffer(i).bytes);
    if (placement.bytes > at_most) break;
  }
  return placement;
}

}  // namespace memline::memory

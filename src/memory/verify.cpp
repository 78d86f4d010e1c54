#include "memory/verify.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/size.h"

namespace memline::memory {
namespace {

Status check_one(const Buffer& buffer, int64_t offset, int64_t arena_bytes) {
  if (buffer.bytes < 0 || buffer.first_step < 0 || buffer.first_step > buffer.last_step)
    return invalid_argument("buffer '{}' has {} bytes from step {} to {}", buffer.name, buffer.bytes, buffer.first_step,
                            buffer.last_step);
  if (buffer.alignment <= 0 || (buffer.alignment & (buffer.alignment - 1)) != 0)
    return invalid_argument("buffer '{}' has the alignment {}, needs a power of two", buffer.name, buffer.alignment);
  if (offset < 0 || offset % buffer.alignment != 0)
    return invalid_argument("buffer '{}' lies at {}, needs a multiple of {}", buffer.name, offset, buffer.alignment);
  if (offset > arena_bytes || buffer.bytes > arena_bytes - offset)
    return invalid_argument("buffer '{}' lies at {} with {} bytes and leaves the arena of {} bytes", buffer.name,
                            offset, buffer.bytes, arena_bytes);
  return {};
}

struct Change {
  int64_t step;
  bool begins;
  size_t buffer;
};

// Ends come before beginnings at one step: last_step is inside, so an end lies at last_step + 1.
std::vector<Change> changes_of(std::span<const Buffer> buffers) {
  std::vector<Change> changes;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].bytes == 0) continue;
    changes.push_back({buffers[i].first_step, true, i});
    changes.push_back({int64_t{buffers[i].last_step} + 1, false, i});
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.step != b.step ? a.step < b.step : a.begins != b.begins ? b.begins : a.buffer < b.buffer;
  });
  return changes;
}

}  // namespace

// A sweep over the steps. What is alive does not overlap, so it is enough to look at the two neighbours of what begins.
Status verify(std::span<const Buffer> buffers, std::span<const int64_t> offsets, int64_t arena_bytes) {
  if (buffers.size() != offsets.size())
    return invalid_argument("{} buffers have {} offsets", buffers.size(), offsets.size());
  for (size_t i = 0; i < buffers.size(); ++i) MEML_TRY_STATUS(check_one(buffers[i], offsets[i], arena_bytes));

  std::set<std::pair<int64_t, size_t>> alive;  // by offset
  const auto overlap = [&](size_t low, size_t high) { return offsets[low] + buffers[low].bytes > offsets[high]; };
  const auto failed = [&](size_t a, size_t b) {
    return invalid_argument(
        "buffers '{}' (at {}, {} bytes, steps {} to {}) and '{}' (at {}, {} bytes, steps {} to {}) overlap",
        buffers[a].name, offsets[a], buffers[a].bytes, buffers[a].first_step, buffers[a].last_step, buffers[b].name,
        offsets[b], buffers[b].bytes, buffers[b].first_step, buffers[b].last_step);
  };
  for (const Change& change : changes_of(buffers)) {
    const size_t i = change.buffer;
    if (!change.begins) {
      alive.erase({offsets[i], i});
      continue;
    }
    const auto at = alive.insert({offsets[i], i}).first;
    if (at != alive.begin() && overlap(std::prev(at)->second, i)) return failed(std::prev(at)->second, i);
    if (std::next(at) != alive.end() && overlap(i, std::next(at)->second)) return failed(i, std::next(at)->second);
  }
  return {};
}

}  // namespace memline::memory

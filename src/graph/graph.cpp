#include "graph/graph.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace memline {

Constant make_constant(DType dtype, std::span<const int64_t> dims, std::span<const std::byte> data) {
  // At least one byte, so that an empty constant has an address too.
  std::shared_ptr<void> copy(std::aligned_alloc(64, (data.size() + 64) / 64 * 64), std::free);
  MEML_CHECK(copy != nullptr);
  if (!data.empty()) std::memcpy(copy.get(), data.data(), data.size());
  return {dense_view(dtype, copy.get(), dims), copy};
}

std::vector<Interval> Graph::slot_ranges() const {
  std::vector<Interval> ranges;
  ranges.reserve(slots_.size());
  for (const Slot& slot : slots_) ranges.push_back(slot.range);
  return ranges;
}

SlotBounds Graph::slot_bounds() const {
  SlotBounds bounds;
  for (const Slot& slot : slots_) bounds.add(slot.range, slot.value);
  return bounds;
}

std::vector<int64_t> Graph::opt_slots() const {
  std::vector<int64_t> values;
  values.reserve(slots_.size());
  for (const Slot& slot : slots_) values.push_back(slot.opt);
  return values;
}

bool Graph::is_output(ValueId value) const { return is_output_[static_cast<size_t>(value)]; }

NodeId Graph::only_reader(ValueId value) const {
  const std::vector<NodeId>& all = readers(value);
  return all.size() == 1 && !is_output(value) ? all.front() : kNoNode;
}

}  // namespace memline

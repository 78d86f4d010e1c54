#include "graph/graph.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/check.h"
#include "base/mapping.h"

namespace memline {

Result<std::shared_ptr<void>> constant_memory(int64_t bytes) {
  constexpr int64_t kOwnPages = 64 << 10;  // from here on, so that a heap does not keep what passes let go
  if (bytes >= kOwnPages) {
    MEML_TRY(Pages taken, Pages::take(bytes));
    const auto pages = std::make_shared<Pages>(std::move(taken));
    return std::shared_ptr<void>(pages, pages->bytes().data());
  }
  // At least one byte, so that an empty constant has an address too.
  const size_t size = static_cast<size_t>(bytes + 64) / 64 * 64;
  std::shared_ptr<void> memory(std::aligned_alloc(64, size), std::free);
  if (memory == nullptr) return out_of_memory("{} bytes are not there", bytes);
  std::memset(memory.get(), 0, size);
  return memory;
}

Constant make_zeros(DType dtype, std::span<const int64_t> dims) {
  int64_t bytes = size_of(dtype);
  for (const int64_t dim : dims) bytes *= dim;
  auto memory = constant_memory(bytes);
  MEML_CHECK(memory.has_value());
  return {dense_view(dtype, memory->get(), dims), *memory};
}

Constant make_constant(DType dtype, std::span<const int64_t> dims, std::span<const std::byte> data) {
  Constant copy = make_zeros(dtype, dims);
  MEML_CHECK(static_cast<int64_t>(data.size()) == copy.view.elements() * size_of(dtype));
  if (!data.empty()) std::memcpy(copy.view.data, data.data(), data.size());
  return copy;
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

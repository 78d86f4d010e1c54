// Placing buffers one after the other: the step that every order and every state of the search shares. Private to
// memory/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/buffer.h"

namespace memline::memory {

// Buffers of at least one byte, with their neighbours: those alive at a common step.
class Problem {
 public:
  // Indices of the problem are positions in `kept`; the buffers and indices must outlive it.
  Problem(std::span<const Buffer> buffers, std::span<const int32_t> kept);

  int32_t size() const { return static_cast<int32_t>(kept_.size()); }
  const Buffer& buffer(int32_t i) const { return buffers_[static_cast<size_t>(kept_[static_cast<size_t>(i)])]; }
  std::span<const int32_t> neighbours(int32_t i) const {
    const auto at = static_cast<size_t>(i);
    return std::span(neighbours_).subspan(begin_[at], begin_[at + 1] - begin_[at]);
  }

 private:
  std::span<const Buffer> buffers_;
  std::span<const int32_t> kept_;
  std::vector<size_t> begin_;
  std::vector<int32_t> neighbours_;
};

enum class Gap { lowest, tightest };  // which of the gaps that a buffer fits

struct Placement {
  std::vector<int64_t> offsets;  // one a buffer of the problem; -1: not placed
  int64_t bytes = 0;             // the highest end
  int64_t work = 0;              // neighbours looked at
};

// Gives each buffer of `order` the lowest or the tightest gap between its neighbours placed before it, or the space
// above them. Stops, with bytes above `at_most`, once the placement cannot stay within it.
Placement place(const Problem& problem, std::span<const int32_t> order, Gap gap, int64_t at_most);

}  // namespace memline::memory

// plan(): buffers with lifetimes -> offsets in one arena, so that no two buffers alive at one step overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/buffer.h"

namespace memline::memory {

struct Plan {
  std::vector<int64_t> offsets;  // one a buffer
  int64_t arena_bytes = 0;
  int64_t lower_bound_bytes = 0;  // the largest sum of live bytes over the steps: no plan of these buffers needs less
  int64_t no_reuse_bytes = 0;     // the sum of all buffers: what an engine without a plan would hold
  int32_t peak_step = 0;          // the first step where the sum of live bytes is largest; 0 when there are no buffers
};

// A pure function: the same buffers give the same offsets. Sizes are saturated, so absurd bounds give an absurd
// arena, never a wrong one; sizes and lifetimes must make sense (bytes >= 0, 0 <= first_step <= last_step, alignment
// a power of two). `max_states` counts the placements tried in the search for a better plan than the greedy one; 0
// keeps the greedy one.
Plan plan(std::span<const Buffer> buffers, int64_t max_states = 2'000'000);

}  // namespace memline::memory

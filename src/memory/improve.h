// A counted search for a smaller arena than the greedy orders found.
//   * A state is an order of the buffers, placed by place() in the lowest gaps. Its value is the arena; among equal
//     arenas the bytes by which buffers stick out above the goal, so that a net of equal blocks can be mended one
//     block at a time.
//   * A move takes a buffer that ends at the top of the arena, or one that it rests on (directly or through others),
//     and puts it in the order just before a random neighbour that is placed earlier.
//   * A state that is not worse is kept, so the search can walk over plateaus; after kPatience moves without progress
//     it starts again from the best state with a few random moves.
//   * It ends when the arena meets the goal or `max_states` placements of single buffers were made. The generator is
//     seeded with a constant: the result is a function of the arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/placement.h"

namespace memline::memory {

Placement improve(const Problem& problem, std::vector<int32_t> order, Placement start, int64_t goal, int64_t max_work);

}  // namespace memline::memory

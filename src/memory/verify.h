// verify(): whether a plan is one. plan() runs it on what it returns; the engine's reader runs it on what a file
// claims.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "memory/buffer.h"

namespace memline::memory {

// invalid_argument naming the buffers: two that are alive at one step overlap; an offset is negative, not aligned, or
// its buffer leaves the arena; a size, lifetime or alignment makes no sense.
Status verify(std::span<const Buffer> buffers, std::span<const int64_t> offsets, int64_t arena_bytes);

}  // namespace memline::memory

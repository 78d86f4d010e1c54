// Buffer: a span of bytes that is alive from one step to another. All that this folder knows of a network.
#pragma once

#include <cstdint>
#include <string>

namespace memline::memory {

// What memory an operand lies in. The session's own inputs and outputs are planned in the arena too; the region of
// such a buffer says whose they are.
enum class Region : uint8_t { arena, weights, input, output, staging };

struct Buffer {
  std::string name;
  int64_t bytes = 0;
  int32_t first_step = 0;  // alive from here
  int32_t last_step = 0;   // to here, both inside
  int64_t alignment = 64;  // of the offset; a power of two
  Region region = Region::arena;

  bool alive_at(int32_t step) const { return first_step <= step && step <= last_step; }
  bool operator==(const Buffer&) const = default;
};

}  // namespace memline::memory

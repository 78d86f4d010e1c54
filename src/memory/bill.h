// The bill: what an engine will hold when it runs, one entry an owner, known before anything is allocated.
//   * The entries add up to the total; one that does not apply is 0.
//   * At the peak step, workspace is the live workspace, io the live bytes of the session's own inputs and outputs,
//     activations the rest of the arena: the three add up to the arena.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "memory/buffer.h"

namespace memline::memory {

struct Bill {
  int64_t context = 0;  // thread stacks, library pages, tables (CUDA: driver context and libraries)
  int64_t weights = 0;
  int64_t activations = 0;
  int64_t workspace = 0;
  int64_t kernels = 0;  // CUDA: code, plans and graphs
  int64_t staging = 0;
  int64_t io = 0;
  int64_t results = 0;
  int64_t video = 0;

  struct Entry {
    std::string_view name;
    int64_t bytes;
  };
  std::array<Entry, 9> entries() const;  // in the order above
  int64_t total() const;                 // saturates
  bool operator==(const Bill&) const = default;
};

// The `count` largest of the buffers alive at `step`, largest first, the earlier one first among equals.
std::vector<NamedBytes> largest_at(std::span<const Buffer> buffers, int32_t step, size_t count = 10);

// A table for people: line (0: none), bill, entries that are not 0, the largest buffers at the peak step.
std::string bill_text(const Bill& bill, int64_t limit_bytes, std::span<const NamedBytes> largest);

}  // namespace memline::memory

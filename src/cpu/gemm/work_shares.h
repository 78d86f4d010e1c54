// How a product is cut into tasks: groups by chunks of rows (output pixels) by ranges of channel blocks. A task makes
// its rows' pointers once and uses them for each of its blocks.
#pragma once

#include <algorithm>

#include "base/size.h"

namespace memline::cpu {

struct WorkShares {
  struct Task {
    int64_t group, row_begin, row_end, block_begin, block_end;
  };

  int64_t rows, blocks, groups, chunk = 0, chunks, ranges = 1;

  // unit: chunks are multiples of it, but for the last.
  WorkShares(int64_t rows, int64_t largest_chunk, int64_t groups, int64_t blocks, int64_t threads, int64_t unit)
      : rows(rows), blocks(blocks), groups(groups), chunks(ceil_div(rows, largest_chunk)) {
    if (chunks == 0) return;
    if (threads > 1 && chunks > 1) chunks = ceil_div(chunks, threads) * threads;
    chunk = std::min(ceil_div(ceil_div(rows, chunks), unit) * unit, largest_chunk);
    chunks = ceil_div(rows, chunk);
    // Four tasks a thread, so that one that comes late finds work.
    if (threads > 1)
      ranges =
          std::clamp<int64_t>(4 * threads / std::max<int64_t>(1, chunks * groups), 1, std::max<int64_t>(1, blocks));
  }
  int64_t tasks() const { return groups * chunks * ranges; }
  Task task(int64_t index) const {
    const int64_t range = index % ranges, at = index / ranges % chunks;
    return {.group = index / ranges / chunks,
            .row_begin = at * chunk,
            .row_end = std::min(at * chunk + chunk, rows),
            .block_begin = range * blocks / ranges,
            .block_end = (range + 1) * blocks / ranges};
  }
};

}  // namespace memline::cpu

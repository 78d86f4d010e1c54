// Pixels (or matrix rows) whose strips have the same shape: the arrays a strip reads, in workspace.
#pragma once

#include <cstddef>

#include "base/size.h"
#include "cpu/gemm/strip.h"

namespace memline::cpu {

struct PixelList {
  const void** inputs;  // [tap][capacity]
  void** outputs;       // [pixel]
  int64_t* offsets[kMaxEpilogueSteps];
  int64_t capacity;
  int64_t count;

  static int64_t bytes(int64_t capacity, int64_t taps, int64_t steps) {
    return align_up(capacity * (taps + 1 + steps) * static_cast<int64_t>(sizeof(void*)), 64);
  }
  // Lays an empty list out at `workspace` and moves it past the list.
  static PixelList carve(std::byte*& workspace, int64_t capacity, int64_t taps, int64_t steps) noexcept {
    PixelList list{};
    list.capacity = capacity;
    list.inputs = reinterpret_cast<const void**>(workspace);
    list.outputs = const_cast<void**>(list.inputs + capacity * taps);
    for (int64_t s = 0; s < steps; ++s) list.offsets[s] = reinterpret_cast<int64_t*>(list.outputs + capacity * (1 + s));
    workspace += bytes(capacity, taps, steps);
    return list;
  }
};

}  // namespace memline::cpu

// An operand made concrete: its view and the bytes it may touch, for given slot values. Used when an engine is
// verified, and by sessions in the run path: nothing here allocates, and nothing overflows whatever the numbers are.
#pragma once

#include <optional>

#include "engine/program.h"
#include "tensor/tensor_view.h"

namespace memline::engine {

// Half-open, from the start of the region; empty when nothing is touched.
struct ByteSpan {
  int64_t begin = 0;
  int64_t end = 0;
  bool inside(int64_t bytes) const { return begin == end || (begin >= 0 && end <= bytes); }
};

// An operand at given slots. view.data is nullptr: the region's base and `offset` make it.
struct Placed {
  TensorView view;
  int64_t offset = 0;
  ByteSpan touched;
};

bool is_constant(const Operand& operand);  // it is the same at any slots

// nullopt when a number overflows, an extent is negative, or the offset is not a multiple of the element size.
// The operand's rank is at most kMaxRank and equal to its number of strides.
std::optional<Placed> place(const Operand& operand, const int64_t* slots) noexcept;

}  // namespace memline::engine

// The memory timeline as SVG: steps across, addresses up, one rectangle a buffer, the live bytes as a curve.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "memory/buffer.h"

namespace memline::memory {

struct Timeline {
  std::string title;  // what was planned: the model's name
  std::span<const Buffer> buffers;
  std::span<const int64_t> offsets;         // one a buffer
  std::span<const std::string> step_names;  // by step; may be shorter than the steps
  int64_t arena_bytes = 0;
};

// A document on its own, legible in a browser; hovering over a buffer names it, with its bytes and steps.
std::string timeline_svg(const Timeline& timeline);

}  // namespace memline::memory

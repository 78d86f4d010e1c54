// BuildMemory: what compiling a model holds at once, known before anything is timed or packed; and the build's line.
//   * Counted: the program and its tables (by the model's nodes); the model (mapped where it is aligned in its file, in
//     memory where not); constants that passes made, which stand beside those that they replace until a pass is done;
//     and the largest packed item, as weights are packed and written one by one.
//   * The line, where none is drawn: max(the run's line, the least line) + 1.3 x the model's bytes + 16 MiB, or what
//     the build needs at least where that is more.
//   * What is left below the line is for timing: a call that takes more keeps its stored cost, and a candidate whose
//     weights cannot be packed in it is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "base/result.h"
#include "choose/menu.h"
#include "graph/graph.h"

namespace memline {

class BuildMemory {
 public:
  // Notes what the imported graph of the model at `path` holds, before any pass runs.
  BuildMemory(const std::string& path, const Graph& imported);

  // Draws the line (0: the default) and takes candidates that it has no room for off the menu.
  // Errors: over_budget, phase build, with the least line that works.
  Status draw_line(int64_t limit_bytes, int64_t run_bytes, Menu& menu);

  int64_t limit_bytes() const { return limit_; }
  int64_t least_bytes() const { return least_; }
  int64_t room_for_timing() const { return limit_ - held_; }

 private:
  std::set<std::weak_ptr<const void>, std::owner_less<>> imported_;  // owners of the model's constants
  int64_t model_ = 0, tables_ = 0;
  int64_t held_ = 0, least_ = 0, limit_ = 0;
};

}  // namespace memline

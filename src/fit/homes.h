// Homes: where each value of a menu lies. A root is a span of one region with a lifetime of its own; a home is a root
// and a placement inside it. Views get the home of what they look at; the inputs of a gather (Concat) are written
// straight into its output wherever that can be, so concat, split and slice on channels vanish.
//   * Gathers are placed from the last to the first, so that a gather inside another finds its place in the outer
//     one.
//   * Where the inputs of a gather are views (Split, Slice, Reshape) that together make up one value, that value is
//     placed.
//   * What cannot be placed is copied: into the gather's slot, or, before a view that strides cannot express, into a
//     dense root.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choose/menu.h"
#include "graph/guards.h"
#include "memory/buffer.h"

namespace memline {

struct Root {
  std::string name;
  memory::Region region = memory::Region::arena;
  int32_t index = 0;  // input, output: which one
  int64_t bytes = 0;  // at the bound
};

struct Home {
  int32_t root = -1;  // -1: a constant
  ops::Placement at;  // elements
};

// One thing to run, before there is an order: a kernel of a node, or a copy that placing made necessary.
struct Task {
  int32_t node = -1;                 // menu node
  int32_t copied_input = -1;         // >= 0: the copy of that input of a view or gather
  std::vector<MenuValueId> in, out;  // menu values read and written; -1 where absent
  std::vector<Home> in_homes, out_homes;
};

struct Homes {
  std::vector<Root> roots;
  std::vector<Home> of_value;               // by menu value
  std::vector<Task> tasks;                  // in the menu's order
  std::vector<std::vector<int32_t>> after;  // task -> tasks that must have run before it
  // task -> the branches in which alone it is needed; Guard::select is a task. Their conditions come before it.
  std::vector<Guards> guards;
};

Homes place_values(const Menu& menu);

}  // namespace memline

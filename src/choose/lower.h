// Lowering: one walk over the graph gives each value its axis order and storage dtype, inserts layout copies where a
// writer and a reader disagree, and makes the calls. No time is taken here.
//   * Orders: rank-4 values that convolutions, pools and Resize read or write, and what is elementwise between them,
//     lie channels-last; a Transpose permutes the order and moves nothing; a view keeps its input's order where
//     strides can say it; everything else is row-major. Model inputs and outputs are dense row-major.
//   * The reference is offered only where nothing else takes the call. A fused node that would fall to it because of
//     its epilogues is split: the menu's graph is then not the one given.
//   * For each node a few proposals of orders are tried in turn; the first that a tactic better than the reference
//     accepts is taken, and the copies that it needs are nodes of their own.
#pragma once

#include "base/result.h"
#include "choose/menu.h"

namespace memline {

struct LowerOptions {
  int threads = 1;
  std::string precision = "fp32";
  bool exact = false;  // leaves out tactics whose sums differ from the direct order (Winograd)
};

Result<Menu> lower(std::shared_ptr<const Graph> graph, const Backend& backend, const LowerOptions& options);

}  // namespace memline

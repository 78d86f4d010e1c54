// Guards: under which branches of Selects something is needed at all. A branch that is not taken must not run (what it
// does may make no sense then), so what only one input of a Select needs runs only where that input is taken.
//   * Guards are found from who reads what, wherever they are asked for, and stored nowhere: passes know nothing of
//     them. What is read in several places has the guards that all of them share.
//   * A node that is read in one branch only need not have come from that branch's body: it still runs there only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace memline {

struct Guard {
  int32_t select = -1;  // which Select: a node, or a task where tasks are asked about
  bool when = true;     // what its condition must be
  bool operator==(const Guard&) const = default;
};
using Guards = std::vector<Guard>;  // all must hold; from the outermost

// Asked from the last reader to the first: of(i) is right when all of i's readers have told what they read.
class GuardFinder {
 public:
  explicit GuardFinder(size_t count) : guards_(count) {}

  // `reader`, whose own guards are known, needs `maker`; `under`: where it takes only what `maker` makes.
  void need(size_t maker, size_t reader, std::optional<Guard> under);
  void need_always(size_t maker) { guards_[maker] = Guards(); }
  // What nobody needs has no guards.
  const Guards& of(size_t i) const;

 private:
  std::vector<std::optional<Guards>> guards_;
};

std::vector<Guards> guards_of(const Graph& graph);  // by node

}  // namespace memline

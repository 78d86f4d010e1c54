#include "graph/guards.h"

#include <algorithm>

#include "ops/select_branch.h"

namespace memline {

const Guards& GuardFinder::of(size_t i) const {
  static const Guards kNone;
  return guards_[i] ? *guards_[i] : kNone;
}

void GuardFinder::need(size_t maker, size_t reader, std::optional<Guard> under) {
  Guards path = of(reader);
  if (under) path.push_back(*under);
  std::optional<Guards>& known = guards_[maker];
  if (!known) {
    known = std::move(path);
    return;
  }
  const auto shared = std::mismatch(known->begin(), known->end(), path.begin(), path.end()).first;
  known->erase(shared, known->end());
}

std::vector<Guards> guards_of(const Graph& graph) {
  const size_t count = graph.nodes().size();
  GuardFinder finder(count);
  for (const ValueId output : graph.outputs())
    if (const NodeId maker = graph.producer(output); maker != kNoNode) finder.need_always(static_cast<size_t>(maker));
  for (size_t reader = count; reader-- > 0;) {
    const Node& node = graph.nodes()[reader];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const NodeId maker = node.inputs[i] == kNoValue ? kNoNode : graph.producer(node.inputs[i]);
      if (maker == kNoNode) continue;
      std::optional<Guard> under;
      if (ops::is_select(*node.op) && i != ops::kSelectCondition)
        under = Guard{static_cast<int32_t>(reader), i == ops::kSelectThen};
      finder.need(static_cast<size_t>(maker), reader, under);
    }
  }
  std::vector<Guards> guards(count);
  for (size_t i = 0; i < count; ++i) guards[i] = finder.of(i);
  return guards;
}

}  // namespace memline

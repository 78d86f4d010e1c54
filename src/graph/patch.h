// Patch: the only way to edit a Graph. A pass looks at a const Graph and returns the nodes and constants it adds, the
// values it redirects (every reader and graph output of `from` reads `to` instead) and the nodes it drops. Applying
// keeps topological order, infers the types of new nodes, removes what nobody reads any more only when the patch says
// so, and verifies the result.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace memline {

class Patch {
 public:
  explicit Patch(const Graph& graph) : next_value_(static_cast<ValueId>(graph.value_count())) {}

  ValueId add_constant(std::string name, Constant constant);
  std::vector<ValueId> add_node(GraphBuilder::NodeSpec spec);  // the ids its outputs will have inside this patch
  void redirect(ValueId from, ValueId to);                     // a chain of redirects is followed to its end
  void drop(NodeId node);  // its outputs must be redirected, dropped with their readers, or unread

  bool empty() const { return edits_ == 0; }
  int hits() const { return hits_; }  // how many places matched: the count in the pass log
  void count_hit() { ++hits_; }

 private:
  friend Result<Graph> apply(const Graph& graph, const Patch& patch);
  struct AddedConstant {
    ValueId id;
    std::string name;
    Constant constant;
  };
  struct AddedNode {
    std::vector<ValueId> ids;
    GraphBuilder::NodeSpec spec;
  };
  ValueId next_value_;
  std::vector<AddedConstant> constants_;
  std::vector<AddedNode> nodes_;
  std::vector<std::pair<ValueId, ValueId>> redirects_;
  std::vector<NodeId> dropped_;
  int edits_ = 0, hits_ = 0;
};

// The edited graph; graph outputs keep their names, types and order. Errors: internal, when the patch breaks an
// invariant or changes the type of a graph output (says which node and value).
Result<Graph> apply(const Graph& graph, const Patch& patch);

}  // namespace memline

// Chains of elementwise nodes become one: the first stays, the others are its epilogues.
#include <algorithm>
#include <array>

#include "passes/absorb.h"

namespace memline::passes {
namespace {

bool is_elementwise(const Node& node) {
  static constexpr std::array<std::string_view, 13> kOps = {"Add",     "Sub",  "Mul",       "Div",       "Relu",
                                                            "Sigmoid", "Tanh", "HardSwish", "LeakyRelu", "HardSigmoid",
                                                            "Clip",    "Gelu", "Mish"};
  if (node.op->name == "Silu") return node.op->domain == "memline";
  return node.op->domain.empty() && std::find(kOps.begin(), kOps.end(), node.op->name) != kOps.end();
}

// Between elementwise nodes it does not matter which one takes the sum: the first does.
bool leaves_add(const Graph&, NodeId, ValueId) { return false; }

}  // namespace

Result<Patch> fuse_elementwise(const Graph& graph) { return absorb_readers(graph, is_elementwise, leaves_add); }

}  // namespace memline::passes

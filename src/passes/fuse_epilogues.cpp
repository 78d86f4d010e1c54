// Activations, residual sums, scales and clips behind a Conv, ConvTranspose, Gemm or MatMul become its epilogues: done
// in registers, without a trip through memory. Only where nothing else reads what lies between, and it is no output of
// the graph.
#include "passes/absorb.h"

namespace memline::passes {
namespace {

bool is_product(const Node& node) {
  return node.op->domain.empty() && (node.op->name == "Conv" || node.op->name == "ConvTranspose" ||
                                     node.op->name == "Gemm" || node.op->name == "MatMul");
}

// Of two products that are added, the later one takes the sum: the earlier one's result is there by then, while the
// other way round the earlier one would have to wait, and its input with it.
bool leaves_add(const Graph& graph, NodeId base, ValueId other) {
  for (;;) {
    const NodeId maker = graph.producer(other);
    if (maker == kNoNode || graph.only_reader(other) == kNoNode) return false;
    const Node& node = graph.node(maker);
    if (is_product(node)) return maker > base;
    if (!activation_of(graph, node)) return false;
    other = node.inputs[0];
  }
}

}  // namespace

Result<Patch> fuse_epilogues(const Graph& graph) { return absorb_readers(graph, is_product, leaves_add); }

}  // namespace memline::passes

// y = scale[c] * f(x) + shift[c] folded into the weights and bias of f: a Conv, ConvTranspose or Gemm with constant
// weights and no epilogues. Numbers are multiplied in double and rounded once.
#pragma once

#include <optional>
#include <vector>

#include "graph/patch.h"

namespace memline::passes {

struct Affine {
  std::vector<double> scale, shift;  // one a channel
};

// The output channels of a node that an affine map can be folded into; nullopt for any other node.
std::optional<int64_t> foldable_channels(const Graph& graph, const Node& node);

// Adds the node with new weights and bias to the patch, under the name of `output`; the id of its output.
ValueId add_folded(Patch& patch, const Graph& graph, const Node& node, const Affine& affine, ValueId output);

}  // namespace memline::passes

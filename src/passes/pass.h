// A pass looks at a graph and returns a patch with what it found, or an empty one. Passes know no device and change no
// result beyond rounding. pipeline.cpp lists them in order; each is in the file of its name.
#pragma once

#include "graph/graph.h"
#include "graph/patch.h"

namespace memline::passes {

using PassFunction = Result<Patch> (*)(const Graph& graph);

Result<Patch> fold_constants(const Graph& graph);
Result<Patch> fold_shapes(const Graph& graph);
Result<Patch> remove_dead_nodes(const Graph& graph);
Result<Patch> remove_identities(const Graph& graph);
Result<Patch> merge_same(const Graph& graph);
Result<Patch> fuse_pad_conv(const Graph& graph);
Result<Patch> fuse_conv_bn(const Graph& graph);
Result<Patch> fuse_conv_affine(const Graph& graph);
Result<Patch> fuse_silu(const Graph& graph);
Result<Patch> fuse_hard_swish(const Graph& graph);
Result<Patch> fuse_gelu(const Graph& graph);
Result<Patch> fuse_layer_norm(const Graph& graph);
Result<Patch> fuse_attention(const Graph& graph);
Result<Patch> fuse_matmul_bias(const Graph& graph);
Result<Patch> fuse_epilogues(const Graph& graph);
Result<Patch> fuse_elementwise(const Graph& graph);

}  // namespace memline::passes

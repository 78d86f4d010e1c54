// MatMul + a constant of one number a last-axis index becomes the MatMul's bias epilogue. (Conv and Gemm have a bias
// input: see fuse_conv_affine.)
#include "passes/match.h"
#include "passes/pass.h"

namespace memline::passes {

Result<Patch> fuse_matmul_bias(const Graph& graph) {
  Patch patch(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const Node& product = graph.node(id);
    if (!is_plain(product, "MatMul")) continue;
    const TensorType& type = type_of(graph, product.outputs[0]);
    const auto channels = type.rank() > 0 ? type.dims.back().constant() : std::nullopt;
    const NodeId add = sole_reader(graph, product.outputs[0], "Add");
    if (add == kNoNode || !channels || !is_computed_in_f32(type.dtype)) continue;
    const ValueId other = other_input(graph.node(add), product.outputs[0]);
    const auto bias =
        other == kNoValue ? std::nullopt : per_channel(graph, other, type.rank(), type.rank() - 1, *channels);
    if (!bias) continue;
    GraphBuilder::NodeSpec spec = spec_of(graph, product);
    const ValueId y = graph.node(add).outputs[0];
    spec.output_names = {graph.value(y).name};
    append_epilogue(spec, {.kind = ops::EpilogueKind::bias},
                    patch.add_constant(graph.value(other).name, float_constant(DType::f32, {*channels}, *bias)));
    patch.redirect(y, patch.add_node(std::move(spec))[0]);
    patch.drop(id);
    patch.drop(add);
    patch.count_hit();
  }
  return patch;
}

}  // namespace memline::passes

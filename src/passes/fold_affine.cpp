#include "passes/fold_affine.h"

#include "ops/conv.h"
#include "ops/conv_transpose.h"
#include "ops/gemm.h"
#include "ops/reference.h"
#include "passes/match.h"

namespace memline::passes {
namespace {

// The output channel that the weight at index [i0, i1, ...] belongs to is i0, i1, or follows from both (grouped
// ConvTranspose).
struct ChannelRule {
  int64_t per_first = 0, per_second = 0, first_per_group = 1, second_per_group = 0;
  int64_t channel(int64_t first, int64_t second) const {
    return first * per_first + second * per_second + first / first_per_group * second_per_group;
  }
};

ChannelRule rule_of(const Node& node, const TensorView& weights) {
  const ChannelRule by_first{.per_first = 1}, by_second{.per_second = 1};
  if (is_plain(node, "Conv")) return by_first;
  if (is_plain(node, "Gemm")) return node.attrs.as<ops::GemmAttrs>().transB ? by_first : by_second;
  const int64_t groups = node.attrs.as<ops::ConvTransposeAttrs>().group;
  return {.per_second = 1,
          .first_per_group = std::max<int64_t>(1, weights.dim(0) / groups),
          .second_per_group = weights.dim(1)};
}

Constant scaled_weights(const Node& node, const TensorView& weights, const std::vector<double>& scale) {
  const ChannelRule rule = rule_of(node, weights);
  const std::vector<int64_t> dims(weights.dims.begin(), weights.dims.begin() + weights.rank);
  Constant scaled = make_zeros(weights.dtype, dims);
  int64_t inner = 1;
  for (size_t i = 2; i < dims.size(); ++i) inner *= dims[i];
  ops::with_dtype(weights.dtype, [&](auto tag) {
    using T = decltype(tag);
    const T* from = weights.as<T>();
    T* to = scaled.view.as<T>();
    for (int64_t first = 0; first < dims[0]; ++first)
      for (int64_t second = 0; second < dims[1]; ++second) {
        const double factor = scale[static_cast<size_t>(rule.channel(first, second))];
        for (int64_t i = 0; i < inner; ++i) *to++ = ops::to_stored<T>(ops::from_stored<double>(*from++) * factor);
      }
  });
  return scaled;
}

// The bias as one number a channel; zeros when there is none; nullopt when it is not constant.
std::optional<std::vector<double>> bias_of(const Graph& graph, const Node& node, int64_t channels) {
  if (!has_input(node, 2)) return std::vector<double>(static_cast<size_t>(channels));
  const int rank = type_of(graph, node.outputs[0]).rank();
  if (is_plain(node, "Gemm")) return per_channel(graph, node.inputs[2], rank, 1, channels);
  return doubles(graph, node.inputs[2], channels);
}

}  // namespace

std::optional<int64_t> foldable_channels(const Graph& graph, const Node& node) {
  const bool is_gemm = is_plain(node, "Gemm");
  if (!is_gemm && !is_plain(node, "Conv") && !is_plain(node, "ConvTranspose")) return std::nullopt;
  const TensorType& output = type_of(graph, node.outputs[0]);
  if (!graph.is_constant(node.inputs[1]) || output.rank() < 2) return std::nullopt;
  const TensorView& weights = graph.value(node.inputs[1]).constant->view;
  if (!is_float(weights.dtype) || weights.elements() == 0) return std::nullopt;
  if (is_gemm && has_input(node, 2) && node.attrs.as<ops::GemmAttrs>().beta != 1) return std::nullopt;
  const auto channels = output.dims[1].constant();
  if (!channels || !bias_of(graph, node, *channels)) return std::nullopt;
  return channels;
}

ValueId add_folded(Patch& patch, const Graph& graph, const Node& node, const Affine& affine, ValueId output) {
  const Value& weights = graph.value(node.inputs[1]);
  const auto channels = static_cast<int64_t>(affine.scale.size());
  std::vector<double> bias = *bias_of(graph, node, channels);
  for (size_t c = 0; c < bias.size(); ++c) bias[c] = bias[c] * affine.scale[c] + affine.shift[c];
  GraphBuilder::NodeSpec spec = spec_of(graph, node);
  spec.output_names = {graph.value(output).name};
  spec.inputs.resize(3);
  spec.base_inputs = 3;
  spec.inputs[1] = patch.add_constant(weights.name, scaled_weights(node, weights.constant->view, affine.scale));
  spec.inputs[2] = patch.add_constant(node.name + ":bias", float_constant(weights.type.dtype, {channels}, bias));
  return patch.add_node(std::move(spec))[0];
}

}  // namespace memline::passes

#include "passes/pipeline.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace memline::passes {
namespace {

// A pass that finds something in every round it is given would never end; each hit makes the graph smaller, so none
// should.
constexpr int kMaxRounds = 100;

// clang-format off
constexpr std::array kPipeline = {
    // Shape arithmetic and grids become numbers first: everything behind looks for constants.
    Pass{"fold_constants", fold_constants},
    // Behind it, as numbers are better than expressions; before anything counts the readers of an activation.
    Pass{"fold_shapes", fold_shapes},
    // What only shape arithmetic read is gone before anybody counts readers.
    Pass{"remove_dead_nodes", remove_dead_nodes},
    // Patterns are written without the nodes that do nothing.
    Pass{"remove_identities", remove_identities},
    // Two equal nodes look like two readers of their input, which would keep activations from being fused.
    Pass{"merge_same", merge_same},
    // Activations written in several nodes become one node before anything looks at "the only reader".
    Pass{"fuse_silu", fuse_silu},
    Pass{"fuse_hard_swish", fuse_hard_swish},
    Pass{"fuse_gelu", fuse_gelu},
    Pass{"fuse_layer_norm", fuse_layer_norm},
    // Before products take the scale of the scores as an epilogue.
    Pass{"fuse_attention", fuse_attention},
    // Into the weights, while the convolution still has no epilogues.
    Pass{"fuse_pad_conv", fuse_pad_conv},
    Pass{"fuse_conv_bn", fuse_conv_bn},
    Pass{"fuse_conv_affine", fuse_conv_affine},
    // A bias must come before the activation that follows it.
    Pass{"fuse_matmul_bias", fuse_matmul_bias},
    // Convolutions and products take what follows them first; what is left between them is joined among itself.
    Pass{"fuse_epilogues", fuse_epilogues},
    Pass{"fuse_elementwise", fuse_elementwise},
    // Epilogues make more nodes alike (equal heads of one trunk).
    Pass{"merge_same_again", merge_same},
    Pass{"remove_dead_nodes_again", remove_dead_nodes},
};
// clang-format on

Status run_pass(const Pass& pass, Graph& graph, PassResult& result) {
  for (int round = 0;; ++round) {
    MEML_TRY(const Patch patch, pass.run(graph));
    if (patch.empty()) return {};
    if (round == kMaxRounds) return internal("still finds something after {} rounds", round);
    MEML_TRY(graph, apply(graph, patch));
    result.hits += patch.hits();
  }
}

}  // namespace

std::span<const Pass> default_pipeline() { return kPipeline; }

Result<std::vector<PassResult>> run(std::span<const Pass> passes, Graph& graph, const PipelineOptions& options) {
  for (const std::string& name : options.skip) {
    const auto has_name = [&](const Pass& pass) { return pass.name == name; };
    if (std::none_of(passes.begin(), passes.end(), has_name))
      return invalid_argument("there is no pass '{}' to skip", name);
  }
  std::vector<PassResult> results;
  for (const Pass& pass : passes) {
    PassResult result{.name = std::string(pass.name)};
    result.skipped = std::find(options.skip.begin(), options.skip.end(), pass.name) != options.skip.end();
    const auto start = std::chrono::steady_clock::now();
    if (!result.skipped) {
      auto status = run_pass(pass, graph, result);
      if (!status) return with_prefix(std::move(status).error(), fmt::format("pass {}", pass.name));
    }
    result.microseconds =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace memline::passes

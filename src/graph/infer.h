// Runs an op's shape rule for a node of a graph: what GraphBuilder does for a new node and verify() does again for an
// old one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace memline {

inline constexpr int64_t kMaxTrackedIntegers = 64;

// "Conv 'layer1.0.conv1'": the prefix of every error about a node.
std::string node_label(const ops::OpDef& op, std::string_view name);

// The integers of a small constant of an integer or boolean dtype.
std::optional<std::vector<DimExpr>> constant_integers(const TensorView& view);
// The numbers of a small f32 constant.
std::optional<std::vector<FloatExpr>> constant_reals(const TensorView& view);

// What infer is told of the values; an id of kNoValue is an absent input.
std::vector<ops::InferInput> infer_inputs(std::span<const Value> values, std::span<const ValueId> inputs);

struct Inferred {
  TensorTypes types;                             // one an output
  std::optional<std::vector<DimExpr>> integers;  // of output 0
  std::optional<std::vector<FloatExpr>> reals;
};
// `inputs` are the op's own. Checks that the op answered for every output. Errors carry no prefix.
Result<Inferred> infer_node(const ops::OpDef& op, const ops::Attrs& attrs, std::span<const ops::InferInput> inputs,
                            size_t outputs, ops::SlotSource& slots);

// Whether each epilogue's input is there, is a float tensor, and broadcasts to `output` without making it larger.
Status check_epilogues(const ops::OpDef& op, std::span<const ops::Epilogue> epilogues, std::span<const Value> values,
                       std::span<const ValueId> inputs, const TensorType& output);

}  // namespace memline

// Gives every dimension of the model's inputs an extent: a number or a slot.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "onnx/import.h"
#include "onnx/model_file.h"

namespace memline::onnx {

// One type an input, in the order of `inputs` (initialisers left out before). Slots are added to `builder`.
// Errors: invalid_argument, for shapes that are missing, unknown or against the model; invalid_model; unsupported.
Result<std::vector<TensorType>> resolve_inputs(std::span<const ValueInfoMessage* const> inputs,
                                               const ImportOptions& options, GraphBuilder& builder);

}  // namespace memline::onnx

// Where a tensor's external weights may lie: in the model's own folder or below it, whatever the file says and links
// point to.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace memline::onnx {

// The resolved path of `location` below `folder`. Errors: invalid_model for absolute paths, "..", and links that lead
// out of the folder; not_found; invalid_argument when there is no folder (a model from memory).
Result<std::string> resolve_external(const std::string& folder, std::string_view location);

}  // namespace memline::onnx

// Backends by name. The only place that knows all of them.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"
#include "base/result.h"

namespace memline::api {

// For a build: "cpu" with an optional level. Errors: unsupported (the CPU lacks the level; a device this build does not
// have), invalid_argument (no such device or level).
Result<std::shared_ptr<const Backend>> backend_for_build(const std::string& device, const std::string& cpu_level);

// For a stored engine: its target, "cpu avx2". Errors: unsupported, reason engine_target, naming both sides and the
// rebuild command.
Result<std::shared_ptr<const Backend>> backend_for_target(const std::string& target);

}  // namespace memline::api

// Program + backend -> Prepared: everything a session will ever hold.
#pragma once

#include "runtime/prepared.h"

namespace memline::runtime {

// Errors: invalid_argument with reason engine_corrupt (unknown tactic, call or operand that does not fit it) or
// engine_version (a tactic that has changed since); out_of_memory; whatever a tactic says when it makes its kernel.
Result<std::unique_ptr<Prepared>> prepare(const engine::Engine& engine, const Backend& backend, ThreadPool& pool,
                                          int threads);

}  // namespace memline::runtime

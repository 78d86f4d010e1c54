// Sentences for failed runs: what, where, found, needed. Outside the run path.
#pragma once

#include <string>

#include "runtime/prepared.h"

namespace memline::runtime {

// `prepared` still holds the state of the run that failed.
std::string explain_run(const Prepared& prepared, const RunStatus& status);

}  // namespace memline::runtime

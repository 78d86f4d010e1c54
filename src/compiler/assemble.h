// assemble: Schedule -> Program, and its weights in the order in which the engine holds them.
#pragma once

#include <atomic>

#include "engine/file.h"
#include "engine/program.h"
#include "fit/fit.h"

namespace memline {

engine::Program assemble(const Schedule& schedule);

// Packs and appends every weight item; no more than one item is in memory at a time.
Status write_weights(const Schedule& schedule, const std::atomic<bool>* cancel, engine::WeightSink& sink);

}  // namespace memline

// Timer: runs the candidates of one call on made-up data, interleaved, a counted number of rounds, and gives each a
// median.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/result.h"
#include "choose/menu.h"

namespace memline {

// Bytes that timing this call takes: its operands, and the largest candidate's packed weights and workspace.
int64_t timing_bytes(const OpCall& call, std::span<const Candidate> candidates, int threads);

// Median nanoseconds of each candidate over `rounds` rounds after one that is not counted, at the max dims.
Result<std::vector<double>> time_candidates(const OpCall& call, std::span<const Candidate* const> candidates,
                                            int rounds, Parallel& parallel, const std::atomic<bool>* cancel);

}  // namespace memline

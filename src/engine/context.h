// What a process holds beside arena and weights when it runs an engine: the bill's entry `context`.
//   * kLibraryBytes and kWorkerBytes are constants of this build of the library, kept honest by a test of whole models:
//   measured <=
//     constant <= measured + 1 MiB.
//   * table_bytes estimates the heap that a decoded program and the session's form of it take; runtime/ asserts the
//   sizes below.
#pragma once

#include <cstdint>

#include "base/threads.h"
#include "engine/program.h"

namespace memline::engine {

inline constexpr int64_t kLibraryBytes =
    (int64_t{5} << 20) + (int64_t{512} << 10);  // pages of code and data of the library and of what it links
// A pool thread: its stack, which the pool keeps resident, and its thread block.
inline constexpr int64_t kWorkerBytes = ThreadPool::kStackBytes + (int64_t{16} << 10);

inline constexpr int64_t kPreparedStepBytes = 160;     // a step of a session
inline constexpr int64_t kPreparedOperandBytes = 152;  // a view of a session, and the heap's share
inline constexpr int64_t kKernelBytes = 768;           // what a kernel keeps, on average

int64_t table_bytes(const Program& program);
int64_t context_bytes(const Program& program);  // with program.threads - 1 workers

}  // namespace memline::engine

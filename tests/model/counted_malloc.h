// Counts the calls of malloc and its kin in this binary, from all threads.
#pragma once

#include <cstdint>

namespace memline::test {

// Calls so far; -1 where a sanitizer owns malloc and nothing can be counted.
int64_t allocator_calls();

}  // namespace memline::test

#include "base/check.h"

#include <execinfo.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace memline {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "memline: internal check failed: %s at %s:%d\n", condition, file, line);
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
  std::abort();
}

}  // namespace memline

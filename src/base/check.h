// MEML_CHECK(condition): for our own mistakes only. Ends the process with file, line and a stack. Nothing a user can
// give us (model, engine file, request, picture) may reach it; the fuzzers look for exactly that.
#pragma once

namespace memline {
[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;
}

#define MEML_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::memline::check_failed(#condition, __FILE__, __LINE__))

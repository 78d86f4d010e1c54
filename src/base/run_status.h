// What the run path returns: a code and a fixed string. Trivial, so that a run allocates nothing and formats nothing.
// Where a run has to name something (which input, which dimension, found, needed), it leaves numbers in RunStatus and
// the caller outside the run path makes the sentence.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace memline {

struct RunStatus {
  Code code = Code::ok;
  const char* message = "";  // static storage
  int32_t step = -1;         // the program step that failed, or -1
  int32_t index = -1;        // the input, output or condition that was wrong, or -1
  int32_t axis = -1;         // its dimension, or -1
  int64_t found = 0;

  bool ok() const noexcept { return code == Code::ok; }
  static RunStatus error(Code code, const char* message) noexcept { return {.code = code, .message = message}; }
};

}  // namespace memline

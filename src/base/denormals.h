// Denormal floats (below 1.2e-38) count as zero while kernels run. A network that decays towards zero makes millions of
// them, and x86 takes some 150 cycles for each: PP-OCRv6's detector spent 250 of 430 ms on two 1x1 convolutions
// (Sapphire Rapids, one thread, 2026-12-01). Copies keep their bits. Listed as a deviation in docs/operators.md.
#pragma once

#include <xmmintrin.h>

namespace memline {

// For the thread that makes it, as long as it lives.
class FlushDenormals {
 public:
  FlushDenormals() noexcept : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushResults | kInputsAreZero); }
  ~FlushDenormals() { _mm_setcsr(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  static constexpr unsigned kFlushResults = 1u << 15, kInputsAreZero = 1u << 6;
  unsigned before_;
};

}  // namespace memline

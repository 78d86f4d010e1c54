#include "cpu/gemm/packed_blocks.h"

namespace memline::cpu {

BlockLayout::BlockLayout(const StripKernels& kernels, int64_t channels)
    : lanes_(kernels.lanes), main_vectors_(kernels.main_vectors), channels_(channels) {
  const int64_t full_width = int64_t{lanes_} * main_vectors_;
  const int64_t full = channels / full_width;
  const int rest = static_cast<int>(ceil_div(channels - full * full_width, lanes_));
  const int joined = main_vectors_ + rest;
  if (rest == 0) {
    count_ = full;
    last_vectors_ = main_vectors_;
  } else if (full > 0 && joined <= StripKernels::kMaxVectors && kernels.strip[joined]) {
    count_ = full;
    last_vectors_ = joined;
  } else {
    count_ = full + 1;
    last_vectors_ = rest;
  }
}

}  // namespace memline::cpu

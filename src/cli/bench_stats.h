// Latencies in a fixed histogram: what `bench` keeps while it measures, so that measuring adds no memory.
#pragma once

#include <array>
#include <cstdint>

namespace memline::cli {

class LatencyHistogram {
 public:
  void add(int64_t nanoseconds);
  int64_t count() const { return count_; }
  double min_ms() const;
  double quantile_ms(double q) const;  // to within 0.5 %

 private:
  static constexpr int kBuckets = 4096;
  std::array<int64_t, kBuckets> buckets_{};
  int64_t count_ = 0, min_ = 0;
};

}  // namespace memline::cli

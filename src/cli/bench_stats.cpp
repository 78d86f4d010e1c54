#include "cli/bench_stats.h"

#include <algorithm>
#include <cmath>

namespace memline::cli {
namespace {

// Bucket b holds [kFirst * r^b, kFirst * r^(b+1)): 4,096 buckets of 0.5 % from 100 ns reach over 70 s.
constexpr double kFirst = 100;
const double kLogRatio = std::log(1.005);

}  // namespace

void LatencyHistogram::add(int64_t nanoseconds) {
  const double bucket = std::log(std::max(static_cast<double>(nanoseconds), kFirst) / kFirst) / kLogRatio;
  ++buckets_[static_cast<size_t>(std::clamp(static_cast<int>(bucket), 0, kBuckets - 1))];
  min_ = count_ == 0 ? nanoseconds : std::min(min_, nanoseconds);
  ++count_;
}

double LatencyHistogram::min_ms() const { return static_cast<double>(min_) / 1e6; }

double LatencyHistogram::quantile_ms(double q) const {
  const auto wanted = static_cast<int64_t>(std::ceil(q * static_cast<double>(count_)));
  int64_t seen = 0;
  for (int b = 0; b < kBuckets; ++b) {
    seen += buckets_[static_cast<size_t>(b)];
    if (seen >= wanted && seen > 0) return kFirst * std::exp((b + 0.5) * kLogRatio) / 1e6;
  }
  return 0;
}

}  // namespace memline::cli

#include "api/compare_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "ops/reference.h"

namespace memline::api {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::vector<int64_t> dims_of(const TensorView& view) { return {view.dims.begin(), view.dims.begin() + view.rank}; }

std::string type_text(const TensorView& view) {
  return fmt::format("{}[{}]", dtype_name(view.dtype), fmt::join(dims_of(view), ","));
}

// Of the finite elements.
double range_of(const TensorView& view) {
  double least = kInfinite, most = -kInfinite;
  for (int64_t i = 0; i < view.elements(); ++i) {
    const double x = ops::load<double>(view, i);
    if (!std::isfinite(x)) continue;
    least = std::min(least, x);
    most = std::max(most, x);
  }
  return most > least ? most - least : 0;
}

// Equal infinities and two NaNs agree.
double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  return std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) : kInfinite;
}

}  // namespace

tools::ComparedValue compare_views(const TensorView& found, const TensorView& stored, double tolerance) {
  tools::ComparedValue value;
  value.dtype = found.dtype;
  value.dims = dims_of(found);
  value.range = range_of(stored);
  if (found.dtype != stored.dtype || value.dims != dims_of(stored)) {
    value.mismatch = fmt::format("stored is {}, ours is {}", type_text(stored), type_text(found));
    value.differs = true;
    return value;
  }
  const double unit = value.range > 0 ? value.range : 1;
  double sum = 0;
  const int64_t n = found.elements();
  for (int64_t i = 0; i < n; ++i) {
    const double off = distance(ops::load<double>(found, i), ops::load<double>(stored, i)) / unit;
    value.max_error = std::max(value.max_error, off);
    value.beyond += off > tolerance;
    sum += off;
  }
  value.mean_error = n > 0 ? sum / static_cast<double>(n) : 0;
  value.differs = value.beyond > 0;
  return value;
}

}  // namespace memline::api

// Sizes in bytes: checked arithmetic, and their forms as text ("400MiB", "1.5 GB").
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace memline {

// nullopt on overflow. Sizes and indices are int64_t everywhere.
inline std::optional<int64_t> checked_mul(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}
inline std::optional<int64_t> checked_add(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// The same, stopping at the largest int64_t instead: for bounds, where "too large to matter" is an answer.
inline int64_t saturating_mul(int64_t a, int64_t b) {
  return checked_mul(a, b).value_or((a < 0) == (b < 0) ? std::numeric_limits<int64_t>::max()
                                                       : std::numeric_limits<int64_t>::min());
}
inline int64_t saturating_add(int64_t a, int64_t b) {
  return checked_add(a, b).value_or(a > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min());
}

// alignment is a power of two.
constexpr int64_t align_up(int64_t value, int64_t alignment) { return (value + alignment - 1) & -alignment; }
constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Bare bytes, KiB/MiB/GiB/TiB (1024), KB/MB/GB/TB (1000); a fraction is allowed before a unit: "1.5GiB". No sign, no
// spaces inside.
Result<int64_t> parse_size(std::string_view text);

// "36.0 MiB", "512 B": for people. JSON gives bare bytes.
std::string format_size(int64_t bytes);

}  // namespace memline

// Scalar arithmetic with ONNX's meaning where C++ has another one, or none: integers wrap, a division by zero gives 0,
// NaN survives Min and Max. Each is defined for the types references compute in: float, double, int64_t, uint64_t.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ops/reference.h"

namespace memline::ops {

template <typename T>
T nan_min(T a, T b) {
  return is_nan(a) || a < b ? a : is_nan(b) || b < a ? b : a;
}
template <typename T>
T nan_max(T a, T b) {
  return is_nan(a) || a > b ? a : is_nan(b) || b > a ? b : a;
}

template <typename T>
T wrapping_add(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <typename T>
T wrapping_sub(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a - b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
template <typename T>
T wrapping_mul(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// Integers truncate towards zero.
template <typename T>
T divide(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a / b;
  else if constexpr (std::is_signed_v<T>)
    return b == 0 ? 0 : b == -1 ? wrapping_sub<T>(0, a) : a / b;
  else
    return b == 0 ? 0 : a / b;
}

// The remainder with the sign of the dividend, as C's fmod and %.
template <typename T>
T remainder_like_dividend(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fmod(a, b);
  else if constexpr (std::is_signed_v<T>)
    return b == 0 || b == -1 ? 0 : a % b;
  else
    return b == 0 ? 0 : a % b;
}

// The remainder with the sign of the divisor, as Python's %; a zero has it too.
template <typename T>
T remainder_like_divisor(T a, T b) {
  const T r = remainder_like_dividend(a, b);
  if (r != 0) return (r < 0) != (b < 0) ? r + b : r;
  if constexpr (std::is_floating_point_v<T>) return std::copysign(r, b);
  return r;
}

// The nearest T towards zero; what lies outside stops at T's ends and NaN becomes 0.
template <typename T, typename F>
T saturating_trunc(F x) {
  constexpr T kMin = std::numeric_limits<T>::min(), kMax = std::numeric_limits<T>::max();
  if (std::isnan(x)) return 0;
  if (x <= static_cast<F>(kMin)) return kMin;
  // static_cast<F>(kMax) may round up to one past the end: the comparison is still right.
  if (x >= static_cast<F>(kMax)) return kMax;
  return static_cast<T>(x);
}

// a to the power of an integer, wrapping; a negative power of an integer is 0 unless a is 1 or -1.
template <typename T>
T integer_power(T a, int64_t n) {
  if (n < 0) {
    if (a == T(1)) return a;
    if constexpr (std::is_signed_v<T>)
      if (a == -1) return n % 2 == 0 ? T(1) : a;
    return 0;
  }
  T result = 1;
  for (T base = a; n != 0; n >>= 1, base = wrapping_mul(base, base))
    if ((n & 1) != 0) result = wrapping_mul(result, base);
  return result;
}

}  // namespace memline::ops

// The arithmetic of linear quantisation, shared by QuantizeLinear, QLinearConv and QLinearMatMul.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/reference.h"

namespace memline::ops {

// y = saturate(round_half_even(x) + zero) in the integer type of `y`. x is already divided by the scale; NaN gives
// `zero`.
inline void store_quantized(const TensorView& y, int64_t offset, double x, int64_t zero) {
  with_dtype(y.dtype, [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_integral_v<T>) {
      const double rounded = std::isnan(x) ? 0.0 : std::nearbyint(x);
      const auto low = static_cast<double>(std::numeric_limits<T>::min());
      const auto high = static_cast<double>(std::numeric_limits<T>::max());
      y.as<T>()[offset] = static_cast<T>(std::clamp(rounded + static_cast<double>(zero), low, high));
    } else {
      y.as<T>()[offset] =
          to_stored<T>(std::nearbyint(x) + static_cast<double>(zero));  // under an epilogue, stored as f32
    }
  });
}

// Element `channel` of a per-tensor (rank 0, or one element) or per-channel (rank 1) parameter; `otherwise` when it is
// absent.
template <typename C>
C parameter(const TensorView& view, int64_t channel, C otherwise) {
  if (view.data == nullptr) return otherwise;
  return load<C>(view, view.rank == 0 || view.dim(0) == 1 ? 0 : channel * view.stride(0));
}

}  // namespace memline::ops

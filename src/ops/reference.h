// What the reference implementations are written with: typed loads and stores through strides, and walks over indices.
//   * A reference reads and writes only through strides, so it is right in every axis order; any stored dtype converts
//     to the type it computes in, so an output may be stored wider (f32 under an epilogue) or narrower than an input.
//   * It allocates nothing: it is the last tactic of the CPU and runs inside sessions.
//   * with_dtype(dtype, f) calls f with a value of the stored type; with_compute(dtype, f) with one of the type to
//     compute in: float for f32, f16, bf16; double for f64; int64_t or uint64_t for integers (stores wrap).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/check.h"
#include "tensor/half.h"
#include "tensor/tensor_view.h"

namespace memline::ops {

struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};
struct Bool {
  uint8_t byte;
};

template <typename F>
decltype(auto) with_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f32:
      return f(float{});
    case DType::f16:
      return f(F16{});
    case DType::bf16:
      return f(BF16{});
    case DType::f64:
      return f(double{});
    case DType::i8:
      return f(int8_t{});
    case DType::u8:
      return f(uint8_t{});
    case DType::i16:
      return f(int16_t{});
    case DType::u16:
      return f(uint16_t{});
    case DType::i32:
      return f(int32_t{});
    case DType::u32:
      return f(uint32_t{});
    case DType::i64:
      return f(int64_t{});
    case DType::u64:
      return f(uint64_t{});
    case DType::boolean:
      return f(Bool{});
  }
  check_failed("a known dtype", __FILE__, __LINE__);
}

template <typename F>
decltype(auto) with_compute(DType dtype, F&& f) {
  if (dtype == DType::f64) return f(double{});
  if (is_float(dtype)) return f(float{});
  if (dtype == DType::u64) return f(uint64_t{});
  return f(int64_t{});
}

template <typename C, typename T>
C from_stored(T x) {
  if constexpr (std::is_same_v<T, F16>) {
    return static_cast<C>(f16_to_f32(x.bits));
  } else if constexpr (std::is_same_v<T, BF16>) {
    return static_cast<C>(bf16_to_f32(x.bits));
  } else if constexpr (std::is_same_v<T, Bool>) {
    return static_cast<C>(x.byte != 0);
  } else {
    return static_cast<C>(x);
  }
}

// Floats round to nearest even; integers wrap. A float must be inside the range of an integer T.
template <typename T, typename C>
T to_stored(C x) {
  if constexpr (std::is_same_v<T, F16>) {
    return {f32_to_f16(static_cast<float>(x))};
  } else if constexpr (std::is_same_v<T, BF16>) {
    return {f32_to_bf16(static_cast<float>(x))};
  } else if constexpr (std::is_same_v<T, Bool>) {
    return {static_cast<uint8_t>(x != 0)};
  } else {
    return static_cast<T>(x);
  }
}

template <typename C>
constexpr bool is_nan([[maybe_unused]] C x) {
  if constexpr (std::is_floating_point_v<C>) return x != x;
  return false;
}

// The element `offset` elements behind the view's first.
template <typename C>
C load(const TensorView& view, int64_t offset) {
  return with_dtype(view.dtype, [&](auto tag) { return from_stored<C>(view.as<decltype(tag)>()[offset]); });
}
template <typename C>
void store(const TensorView& view, int64_t offset, C x) {
  with_dtype(view.dtype, [&](auto tag) { view.as<decltype(tag)>()[offset] = to_stored<decltype(tag)>(x); });
}

// to[i] = the element i strides behind `offset`.
template <typename C>
void load_run(const TensorView& view, int64_t offset, int64_t stride, int64_t count, C* to) {
  with_dtype(view.dtype, [&](auto tag) {
    const auto* from = view.as<const decltype(tag)>() + offset;
    for (int64_t i = 0; i < count; ++i) to[i] = from_stored<C>(from[i * stride]);
  });
}

// Input i, or an empty view when it was left out.
inline TensorView input_or_none(std::span<const TensorView> in, size_t i) {
  return i < in.size() ? in[i] : TensorView{};
}

using Extents = std::array<int64_t, kMaxRank>;

// Walks dims[0..rank) in row-major order; f gets, for each of N stride lists, the element offset of the current index.
template <size_t N, typename F>
void walk(int rank, const Extents& dims, const std::array<Extents, N>& strides, F&& f) {
  for (size_t i = 0; i < static_cast<size_t>(rank); ++i)
    if (dims[i] <= 0) return;
  Extents index{};
  std::array<int64_t, N> offset{};
  for (;;) {
    f(static_cast<const std::array<int64_t, N>&>(offset));
    int axis = rank - 1;
    for (; axis >= 0; --axis) {
      const auto a = static_cast<size_t>(axis);
      for (size_t n = 0; n < N; ++n) offset[n] += strides[n][a];
      if (++index[a] < dims[a]) break;
      for (size_t n = 0; n < N; ++n) offset[n] -= strides[n][a] * dims[a];
      index[a] = 0;
    }
    if (axis < 0) return;
  }
}

// The view's dims, with 1 on the axes for which keep(axis) is false: an index space is split into an outer and an inner
// walk.
template <typename Keep>
Extents extents_where(const TensorView& view, Keep&& keep) {
  Extents dims = view.dims;
  for (int i = 0; i < view.rank; ++i)
    if (!keep(i)) dims[static_cast<size_t>(i)] = 1;
  return dims;
}

// The strides that read `in` as if it had the dims of `out` by ONNX's broadcasting: aligned from the right, extent 1
// repeated.
inline Extents broadcast_strides(const TensorView& in, const TensorView& out) {
  Extents strides{};
  const int shift = out.rank - in.rank;
  for (int i = 0; i < in.rank; ++i) strides[static_cast<size_t>(i + shift)] = in.dim(i) == 1 ? 0 : in.stride(i);
  return strides;
}

// f(offsets) for each element of `out`: offsets[0] lies in out, offsets[k] in the k-th input, broadcast.
template <typename F, typename... Views>
void walk_broadcast(const TensorView& out, F&& f, const Views&... in) {
  const std::array<Extents, 1 + sizeof...(in)> strides = {out.strides, broadcast_strides(in, out)...};
  walk(out.rank, out.dims, strides, f);
}

// out = f(in), computed in C.
template <typename C, typename F>
void map(const TensorView& in, const TensorView& out, F&& f) {
  walk_broadcast(
      out, [&](const auto& at) { store(out, at[0], f(load<C>(in, at[1]))); }, in);
}

// out = f(a, b), computed in C, both broadcast to out.
template <typename C, typename F>
void zip(const TensorView& a, const TensorView& b, const TensorView& out, F&& f) {
  walk_broadcast(
      out, [&](const auto& at) { store(out, at[0], f(load<C>(a, at[1]), load<C>(b, at[2]))); }, a, b);
}

// out = in, converted.
inline void copy(const TensorView& in, const TensorView& out) {
  with_compute(in.dtype, [&](auto tag) { map<decltype(tag)>(in, out, [](auto x) { return x; }); });
}

}  // namespace memline::ops

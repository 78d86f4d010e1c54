// Element types, with ONNX's meaning. `f32` is written "f32" in graph text, bills and errors.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "memline/tensor.hpp"

namespace memline {

constexpr int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
    case DType::i64:
    case DType::u64:
      return 8;
    case DType::f32:
    case DType::i32:
    case DType::u32:
      return 4;
    case DType::f16:
    case DType::bf16:
    case DType::i16:
    case DType::u16:
      return 2;
    case DType::i8:
    case DType::u8:
    case DType::boolean:
      return 1;
  }
  return 0;
}
constexpr bool is_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f64;
}

std::string_view dtype_name(DType dtype);  // "f32", "bool"
std::optional<DType> parse_dtype(std::string_view name);

}  // namespace memline

template <>
struct fmt::formatter<memline::DType> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(memline::DType dtype, Context& context) const {
    return fmt::formatter<std::string_view>::format(memline::dtype_name(dtype), context);
  }
};

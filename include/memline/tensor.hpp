// Element types and tensors as callers hand them in and get them back.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace memline {

enum class DType : uint8_t { f32, f16, bf16, f64, i8, u8, i16, u16, i32, u32, i64, u64, boolean };

// A dense row-major tensor in memory that somebody else owns.
struct TensorRef {
  DType dtype = DType::f32;
  int32_t rank = 0;               // at most 8
  std::array<int64_t, 8> dims{};  // in ONNX's order; 0 is a legal extent
  void* data = nullptr;

  TensorRef() = default;
  TensorRef(DType type, void* bytes, std::initializer_list<int64_t> extents) : dtype(type), data(bytes) {
    for (const int64_t extent : extents)
      if (rank < 8) dims[static_cast<size_t>(rank++)] = extent;
  }
};

}  // namespace memline

// AxisOrder: where the logical axes of a value lie in memory, outermost first. The last axis in memory always has
// stride 1. Graph, ops, passes and DimExprs speak only of logical axes in ONNX's order; an order belongs to an operand.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace memline {

inline constexpr int kMaxRank = 8;

struct AxisOrder {
  uint8_t rank = 0;
  std::array<uint8_t, kMaxRank> axes{};  // axes[0] is the outermost logical axis in memory

  static AxisOrder row_major(int rank) {
    AxisOrder order{.rank = static_cast<uint8_t>(rank), .axes = {}};
    for (int i = 0; i < rank; ++i) order.axes[static_cast<size_t>(i)] = static_cast<uint8_t>(i);
    return order;
  }
  // [N, C, spatial...] lies as [N, spatial..., C]. Same as row-major below rank 3.
  static AxisOrder channels_last(int rank) {
    AxisOrder order = row_major(rank);
    if (rank < 3) return order;
    for (int i = 1; i + 1 < rank; ++i) order.axes[static_cast<size_t>(i)] = static_cast<uint8_t>(i + 1);
    order.axes[static_cast<size_t>(rank - 1)] = 1;
    return order;
  }

  bool is_row_major() const { return *this == row_major(rank); }
  bool is_channels_last() const { return *this == channels_last(rank); }
  std::string text() const {  // "0231"
    std::string digits;
    for (int i = 0; i < rank; ++i) digits += static_cast<char>('0' + axes[static_cast<size_t>(i)]);
    return digits;
  }
  bool operator==(const AxisOrder&) const = default;
};

}  // namespace memline

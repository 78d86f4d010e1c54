#include "engine/operand.h"

#include <gtest/gtest.h>

#include <limits>

namespace memline::engine {
namespace {

Operand make(DimExpr offset, std::vector<DimExpr> dims, std::vector<DimExpr> strides) {
  Operand operand{.offset = std::move(offset), .type = {DType::f32, std::move(dims)}};
  operand.strides = std::move(strides);
  return operand;
}

ByteSpan touched(const Operand& operand, const int64_t* slots = nullptr) {
  const auto placed = place(operand, slots);
  EXPECT_TRUE(placed);
  return placed ? placed->touched : ByteSpan{};
}

TEST(PlacedOperand, TouchesFromItsFirstToItsLastElement) {
  const ByteSpan span = touched(make(64, {2, 3}, {10, 1}));
  EXPECT_EQ(span.begin, 64);
  EXPECT_EQ(span.end, 64 + 4 * (10 + 2 + 1));
}

TEST(PlacedOperand, ReachesBackWhereAStrideIsNegative) {
  const ByteSpan span = touched(make(80, {4}, {-1}));
  EXPECT_EQ(span.begin, 80 - 12);
  EXPECT_EQ(span.end, 84);
}

TEST(PlacedOperand, TouchesNothingWhereAnExtentIsZero) {
  EXPECT_TRUE(touched(make(1 << 20, {4, 0}, {1, 1})).inside(0));
}

TEST(PlacedOperand, FollowsTheSlots) {
  const DimExpr n = DimExpr::slot(0);
  const Operand operand = make(n * DimExpr(4), {n, 2}, {2, 1});
  const int64_t slots[] = {5};
  EXPECT_FALSE(is_constant(operand));
  EXPECT_EQ(touched(operand, slots).begin, 20);
  EXPECT_EQ(touched(operand, slots).end, 20 + 40);
  EXPECT_EQ(place(operand, slots)->view.dim(0), 5);
}

TEST(PlacedOperand, OfABandTouchesOnlyTheBandsRows) {
  Operand operand = make(-4 * 8 * 10, {1, 100, 8}, {800, 8, 1});
  operand.rows = {.axis = 1, .begin = 10, .end = 14};
  const ByteSpan span = touched(operand);
  EXPECT_EQ(span.begin, 0);
  EXPECT_EQ(span.end, 4 * 4 * 8);
  EXPECT_EQ(place(operand, nullptr)->view.dim(1), 100);
}

TEST(PlacedOperand, IsRefusedWhenItsOffsetIsOddForItsType) { EXPECT_FALSE(place(make(2, {1}, {1}), nullptr)); }

TEST(PlacedOperand, IsRefusedWhenAnExtentIsNegative) { EXPECT_FALSE(place(make(0, {-1}, {1}), nullptr)); }

TEST(PlacedOperand, IsRefusedWhenAnyNumberOverflows) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(place(make(0, {kMost, kMost}, {1, 1}), nullptr));
  EXPECT_FALSE(place(make(0, {3}, {kMost / 2}), nullptr));
  EXPECT_FALSE(place(make(kMost - 3, {2}, {1}), nullptr));
  EXPECT_FALSE(place(make(0, {2}, {std::numeric_limits<int64_t>::min()}), nullptr));
}

TEST(ByteSpan, IsInsideOnlyWhenBothEndsAre) {
  EXPECT_TRUE((ByteSpan{0, 8}.inside(8)));
  EXPECT_FALSE((ByteSpan{0, 9}.inside(8)));
  EXPECT_FALSE((ByteSpan{-1, 8}.inside(8)));
}

}  // namespace
}  // namespace memline::engine

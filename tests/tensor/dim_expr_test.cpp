#include "tensor/dim_expr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace memline {
namespace {

const DimExpr s0 = DimExpr::slot(0), s1 = DimExpr::slot(1), s2 = DimExpr::slot(2);
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

int64_t at(const DimExpr& expression, std::vector<int64_t> slots) { return expression.evaluate(slots.data()); }

TEST(DimExpr, SumsAreEqualWhateverTheOrderOfTheirTerms) {
  EXPECT_EQ(s0 * 4 + 3 - s1, DimExpr(0) - s1 + s0 + 3 + s0 * 3);
  EXPECT_EQ(s0 - s0, DimExpr(0));
  EXPECT_EQ((s0 + 1) * 2, s0 * 2 + 2);
  EXPECT_EQ(s0 * s1 * 6, s1 * 2 * (s0 * 3));
  EXPECT_NE(s0 * s1, s0 + s1);
  EXPECT_EQ((s0 + s1).hash(), (s1 + s0).hash());
}

TEST(DimExpr, StridesOfChainedConvolutionsFoldIntoOneDivision) {
  const DimExpr half = floor_div(s0 + 2 - 3, 2) + 1;
  EXPECT_EQ(half.text(), "floordiv(s0+1, 2)");
  EXPECT_EQ((floor_div(half + 2 - 3, 2) + 1).text(), "floordiv(s0+3, 4)");
  EXPECT_EQ(ceil_div(s1, 32).text(), "floordiv(s1+31, 32)");
  EXPECT_EQ(floor_div(s0 * 32, 32), s0);
  EXPECT_EQ(floor_div(s0 * 64 + s1 * 3 + 70, 32), s0 * 2 + 2 + floor_div(s1 * 3 + 6, 32));
}

TEST(DimExpr, ACommonFactorOfADivisionCancels) {
  EXPECT_EQ(floor_div(s0 * s1 * 192, s0 * 64), s1 * 3);
  EXPECT_EQ(floor_div(s0 * 12 + s0 * s1 * 4, s0), s1 * 4 + 12);
  EXPECT_EQ(floor_div((s0 + 1) * s1, s0 + 1), s1);
  EXPECT_EQ(floor_div(s0 * 768, s0), DimExpr(768));
  EXPECT_EQ(at(floor_div(s0 * s1, s0), {0, 7}), 7) << "a batch of none keeps the extent of the other axes";
}

TEST(DimExpr, MinAndMaxDropWhatCannotWin) {
  EXPECT_EQ(min(s0, s0 + 1), s0);
  EXPECT_EQ(max(min(s0, s0), s0), s0);
  EXPECT_EQ(max(s0, max(s1, s0)), max(s1, s0));
  EXPECT_EQ(min(s0, min(DimExpr(5), DimExpr(3))).text(), "min(s0, 3)");
}

TEST(DimExpr, ComparisonsOfKnownDifferencesAreFolded) {
  EXPECT_EQ(equal(s0 + 1, s0 + 1), DimExpr(1));
  EXPECT_EQ(less(s0, s0 + 1), DimExpr(1));
  EXPECT_EQ(less(s0 + 1, s0), DimExpr(0));
  EXPECT_EQ(equal(s0, s1), equal(s1, s0));
  EXPECT_EQ(select(less(s0, 5), s1, s1), s1);
  EXPECT_EQ(select(DimExpr(2), s0, s1), s0);
}

TEST(DimExpr, DivisionByZeroGivesZeroAndOverflowSaturates) {
  EXPECT_EQ(at(floor_div(s0, s1), {7, 0}), 0);
  EXPECT_EQ(at(mod(s0, s1), {7, 0}), 0);
  EXPECT_EQ(floor_div(DimExpr(7), DimExpr(0)), DimExpr(0));
  EXPECT_EQ(at(s0 * s0, {int64_t{1} << 40}), kMost);
  EXPECT_EQ(at(s0 * s1, {int64_t{1} << 40, -(int64_t{1} << 40)}), kLeast);
  EXPECT_EQ(at(s0 + s0 * s1, {kMost, 1}), kMost);
  EXPECT_EQ(at(floor_div(s0, s1), {kLeast, -1}), kMost);
  EXPECT_EQ(DimExpr(kLeast) * -1, DimExpr(kMost));
}

TEST(DimExpr, DivisionAndModFloorAsPythonDoes) {
  EXPECT_EQ(at(floor_div(s0, s1), {-7, 2}), -4);
  EXPECT_EQ(at(mod(s0, s1), {-7, 2}), 1);
  EXPECT_EQ(at(mod(s0, s1), {7, -2}), -1);
  EXPECT_EQ(at(ceil_div(s0, s1), {7, 2}), 4);
  EXPECT_EQ(at(ceil_div(s0, s1), {-7, 2}), -3);
}

TEST(DimExpr, SizeComputedInFloatsKeepsTheOrderOfItsOperations) {
  // A detector's resize: scale = min(800 / min(h, w), 1333 / max(h, w)), in float32.
  const FloatExpr scale = min(FloatExpr(800) / FloatExpr(min(s0, s1)), FloatExpr(1333) / FloatExpr(max(s0, s1)));
  const DimExpr height = floor(FloatExpr(s0) * scale);
  const float expected = std::floor(480.0f * std::fmin(800.0f / 480.0f, 1333.0f / 640.0f));
  EXPECT_EQ(at(height, {480, 640}), static_cast<int64_t>(expected));
  EXPECT_EQ(DimExpr::parse(height.text()).value(), height);
  EXPECT_NE(floor(FloatExpr(s0) * 0.1f * 3.0f), floor(FloatExpr(s0) * (FloatExpr(0.1f) * 3.0f)));
}

TEST(DimExpr, RoundingOfFloatsSaturatesAndTreatsNanAsZero) {
  EXPECT_EQ(round_half_even(FloatExpr(2.5f)), DimExpr(2));
  EXPECT_EQ(round_half_even(FloatExpr(3.5f)), DimExpr(4));
  EXPECT_EQ(trunc(FloatExpr(-1.5f)), DimExpr(-1));
  EXPECT_EQ(ceil(FloatExpr(1e30f)), DimExpr(kMost));
  EXPECT_EQ(floor(FloatExpr(-1e30f)), DimExpr(kLeast));
  EXPECT_EQ(at(floor(FloatExpr(s0) / FloatExpr(s0)), {0}), 0);
}

TEST(DimExpr, TextOfTheExtremesReadsBack) {
  for (const int64_t value : {kLeast, kLeast + 1, int64_t{-1}, int64_t{0}, kMost}) {
    EXPECT_EQ(DimExpr::parse(DimExpr(value).text()).value(), DimExpr(value));
    EXPECT_EQ(DimExpr::parse((s0 + value).text()).value(), s0 + value) << (s0 + value).text();
    EXPECT_EQ(DimExpr::parse((s0 * value + s1).text()).value(), s0 * value + s1) << (s0 * value + s1).text();
  }
  EXPECT_EQ(DimExpr::parse("-ceildiv( s0 ,8)*(2+s1)*-3").value(), ceil_div(s0, 8) * (s1 + 2) * 3);
}

TEST(DimExpr, ParserRefusesWhatIsNotAnExpressionAndNamesThePlace) {
  for (const char* text :
       {"", "s", "s-1", "s99999999999", "4+", "(s0", "s0)", "floordiv(s0)", "min(s0)", "floor(s0)", "select(s0,1)",
        "99999999999999999999", "1.5", "floor(f32(s0)*2*3)", "s0 s1", "foo(1)", "*s0"})
    EXPECT_EQ(DimExpr::parse(text).error().code, Code::invalid_argument) << text;
  EXPECT_NE(DimExpr::parse("s0*4+x").error().message.find("character 6"), std::string::npos);
}

TEST(DimExpr, ParserLimitsNestingAndLength) {
  const std::string deep = std::string(100000, '(') + "1" + std::string(100000, ')');
  EXPECT_FALSE(DimExpr::parse(deep));
  EXPECT_FALSE(DimExpr::parse(deep.substr(99900, 201)));
  std::string calls;
  for (int i = 0; i < 5000; ++i) calls += "mod(";
  EXPECT_FALSE(DimExpr::parse(calls));
  std::string wide = "min(s0";
  for (int i = 1; i < 1500; ++i) wide += ",s" + std::to_string(i);
  EXPECT_EQ(DimExpr::parse(wide + ")").value().node_count(), 1501);
}

TEST(DimExpr, SaysWhenItIsTooLarge) {
  DimExpr grows = s0;
  for (int i = 0; i < 7; ++i) grows = floor_div(grows * grows + s1, s2);
  EXPECT_TRUE(grows.too_large());
  EXPECT_FALSE((s0 * 4 + 3).too_large());
}

TEST(DimExpr, CollectsEachSlotOnce) {
  std::vector<int32_t> slots;
  (max(s2, s0) * s2 + floor(FloatExpr(DimExpr::slot(7)) * 2.0f)).collect_slots(slots);
  EXPECT_EQ(slots, (std::vector<int32_t>{0, 2, 7}));
  (s1 * s2).collect_slots(slots);
  DimExpr(3).collect_slots(slots);
  EXPECT_EQ(slots, (std::vector<int32_t>{0, 1, 2, 7})) << "adds to what is there";
  (s1 + s2).collect_slots(slots);
  EXPECT_EQ(slots, (std::vector<int32_t>{0, 1, 2, 7})) << "several expressions may fill one list";
  EXPECT_EQ(s1.slot_index(), 1);
  EXPECT_EQ((s1 + 1).slot_index(), std::nullopt);
}

TEST(Maximum, OfAMonotoneExpressionIsFoundAtTheFirstBox) {
  const Interval ranges[] = {{1, 4}, {320, 1344}};
  EXPECT_EQ(maximum(s0 * 3 * s1 * s1, ranges, 1), 4ll * 3 * 1344 * 1344);
}

TEST(Maximum, OfADetectorsOwnSizeIsFarBelowTheProductOfItsBounds) {
  const FloatExpr scale = min(FloatExpr(800) / FloatExpr(min(s0, s1)), FloatExpr(1333) / FloatExpr(max(s0, s1)));
  const DimExpr area = floor(FloatExpr(s0) * scale) * floor(FloatExpr(s1) * scale);
  const Interval ranges[] = {{100, 2000}, {100, 2000}};
  int64_t truth = 0;
  for (int64_t h = 100; h <= 2000; h += 7)
    for (int64_t w = 100; w <= 2000; w += 7) truth = std::max(truth, at(area, {h, w}));
  const int64_t bound = maximum(area, ranges);
  EXPECT_GE(bound, truth);
  EXPECT_LE(static_cast<double>(bound), 1.03 * static_cast<double>(truth));
  EXPECT_GT(area.bounds(ranges).max, 10 * bound) << "interval arithmetic alone would do: the test shows nothing";
}

TEST(Maximum, StopsAfterTheCountedBoxesAndIsStillSound) {
  const DimExpr hidden = mod(s0 * 7919 + s1 * 104729, 1000003);
  const Interval ranges[] = {{0, 100000}, {0, 100000}};
  EXPECT_GE(maximum(hidden, ranges, 64), 999000);
  const Interval empty_batch[] = {{0, 0}, {5, 5}};
  EXPECT_EQ(maximum(s0 * s1, empty_batch), 0);
}

}  // namespace
}  // namespace memline

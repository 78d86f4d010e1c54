// Random expressions against a second evaluator that knows nothing of canonical forms: a plain tree of the operations
// as they were asked for. Points where the plain tree divides by zero are left out: there a cancelled factor shows
// (dim_expr.h).
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "tensor/dim_expr.h"

namespace memline {
namespace {

constexpr int kSlots = 3;
using Point = std::array<int64_t, kSlots>;
using Plain = std::function<std::optional<int64_t>(const Point&)>;

struct Pair {
  DimExpr canonical;
  Plain plain;
};

int64_t floor_of(int64_t a, int64_t b) {
  return static_cast<int64_t>(std::floor(static_cast<long double>(a) / static_cast<long double>(b)));
}

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  int64_t number(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(random_); }

  Point point() {
    Point p;
    for (int64_t& slot : p) slot = number(-9, 9);
    return p;
  }

  Pair expression(int depth) {
    const int64_t kind = number(0, depth == 0 ? 1 : 12);
    if (kind == 0) {
      const int64_t value = number(-6, 6);
      return {value, [value](const Point&) { return value; }};
    }
    if (kind == 1) {
      const auto slot = static_cast<size_t>(number(0, kSlots - 1));
      return {DimExpr::slot(static_cast<int32_t>(slot)), [slot](const Point& p) { return p[slot]; }};
    }
    const Pair a = expression(depth - 1), b = expression(depth - 1);
    switch (kind) {
      case 2:
      case 3:
        return {a.canonical + b.canonical, both(a, b, [](int64_t x, int64_t y) { return x + y; })};
      case 4:
        return {a.canonical - b.canonical, both(a, b, [](int64_t x, int64_t y) { return x - y; })};
      case 5:
        return {a.canonical * b.canonical, both(a, b, [](int64_t x, int64_t y) { return x * y; })};
      case 6:
        return {floor_div(a.canonical, b.canonical), divide(a, b, floor_of)};
      case 7:
        return {ceil_div(a.canonical, b.canonical),
                divide(a, b, [](int64_t x, int64_t y) { return -floor_of(-x, y); })};
      case 8:
        return {mod(a.canonical, b.canonical),
                divide(a, b, [](int64_t x, int64_t y) { return x - y * floor_of(x, y); })};
      case 9:
        return {min(a.canonical, b.canonical), both(a, b, [](int64_t x, int64_t y) { return std::min(x, y); })};
      case 10:
        return {max(a.canonical, b.canonical), both(a, b, [](int64_t x, int64_t y) { return std::max(x, y); })};
      case 11:
        return choice(a, b);
      default:
        return scaled(a);
    }
  }

 private:
  static Plain both(const Pair& a, const Pair& b, std::function<int64_t(int64_t, int64_t)> f) {
    return [a = a.plain, b = b.plain, f = std::move(f)](const Point& p) -> std::optional<int64_t> {
      const auto x = a(p), y = b(p);
      return x && y ? std::optional(f(*x, *y)) : std::nullopt;
    };
  }
  static Plain divide(const Pair& a, const Pair& b, std::function<int64_t(int64_t, int64_t)> f) {
    return [a = a.plain, b = b.plain, f = std::move(f)](const Point& p) -> std::optional<int64_t> {
      const auto x = a(p), y = b(p);
      return x && y && *y != 0 ? std::optional(f(*x, *y)) : std::nullopt;
    };
  }
  Pair choice(const Pair& a, const Pair& b) {
    const Pair c = expression(0), d = expression(1);
    const bool is_less = number(0, 1) == 1;
    const DimExpr condition = is_less ? less(c.canonical, d.canonical) : equal(c.canonical, d.canonical);
    Plain plain = [a = a.plain, b = b.plain, c = c.plain, d = d.plain,
                   is_less](const Point& p) -> std::optional<int64_t> {
      const auto w = a(p), x = b(p), y = c(p), z = d(p);
      if (!w || !x || !y || !z) return std::nullopt;
      return (is_less ? *y < *z : *y == *z) ? w : x;
    };
    return {select(condition, a.canonical, b.canonical), std::move(plain)};
  }
  Pair scaled(const Pair& a) {
    const float factor = static_cast<float>(number(-8, 8)) / 4.0f + 0.1f;
    const int64_t which = number(0, 3);
    const FloatExpr x = FloatExpr(a.canonical) * factor;
    const DimExpr rounded = which == 0 ? floor(x) : which == 1 ? ceil(x) : which == 2 ? round_half_even(x) : trunc(x);
    return {rounded, [a = a.plain, factor, which](const Point& p) -> std::optional<int64_t> {
              const auto value = a(p);
              if (!value) return std::nullopt;
              const float product = static_cast<float>(*value) * factor;
              return static_cast<int64_t>(which == 0   ? std::floor(product)
                                          : which == 1 ? std::ceil(product)
                                          : which == 2 ? std::nearbyint(product)
                                                       : std::trunc(product));
            }};
  }

  std::mt19937_64 random_;
};

class RandomExpressions : public testing::Test {
 protected:
  static constexpr int kExpressions = 4000;
  static constexpr int kPoints = 12;
};

TEST_F(RandomExpressions, EvaluateToWhatThePlainTreeGives) {
  int compared = 0;
  for (int seed = 0; seed < kExpressions; ++seed) {
    Maker maker(static_cast<uint64_t>(seed));
    const Pair pair = maker.expression(4);
    for (int i = 0; i < kPoints; ++i) {
      const Point point = maker.point();
      const auto expected = pair.plain(point);
      if (!expected) continue;
      ++compared;
      ASSERT_EQ(pair.canonical.evaluate(point.data()), *expected)
          << "seed " << seed << ": " << pair.canonical.text() << " at " << testing::PrintToString(point);
    }
  }
  EXPECT_GT(compared, kExpressions * kPoints / 2);
}

TEST_F(RandomExpressions, ReadBackFromTheirTextAsTheSameExpression) {
  for (int seed = 0; seed < kExpressions; ++seed) {
    const DimExpr expression = Maker(static_cast<uint64_t>(seed)).expression(4).canonical;
    const auto parsed = DimExpr::parse(expression.text());
    ASSERT_TRUE(parsed) << expression.text() << ": " << parsed.error().message;
    ASSERT_EQ(parsed->text(), expression.text()) << "seed " << seed;
    ASSERT_EQ(*parsed, expression) << "seed " << seed;
    ASSERT_EQ(parsed->hash(), expression.hash());
  }
}

TEST_F(RandomExpressions, NeverLeaveTheirBounds) {
  for (int seed = 0; seed < kExpressions; ++seed) {
    Maker maker(static_cast<uint64_t>(seed));
    const DimExpr expression = maker.expression(4).canonical;
    std::array<Interval, kSlots> ranges;
    for (Interval& range : ranges) {
      range.min = maker.number(-9, 9);
      range.max = maker.number(range.min, range.min + 6);
    }
    const Interval bounds = expression.bounds(ranges);
    const int64_t most = maximum(expression, ranges, 32);
    ASSERT_LE(most, bounds.max) << expression.text();
    for (int i = 0; i < kPoints; ++i) {
      Point point;
      for (size_t slot = 0; slot < kSlots; ++slot) point[slot] = maker.number(ranges[slot].min, ranges[slot].max);
      const int64_t value = expression.evaluate(point.data());
      ASSERT_GE(value, bounds.min) << "seed " << seed << ": " << expression.text();
      ASSERT_LE(value, most) << "seed " << seed << ": " << expression.text() << " at " << testing::PrintToString(point);
    }
  }
}

TEST_F(RandomExpressions, SubstitutionIsEvaluationWithOtherSlots) {
  for (int seed = 0; seed < kExpressions; ++seed) {
    Maker maker(static_cast<uint64_t>(seed));
    const Pair pair = maker.expression(3);
    const Pair inner[] = {maker.expression(1), maker.expression(1), maker.expression(1)};
    const std::array<DimExpr, kSlots> replacements = {inner[0].canonical, inner[1].canonical, inner[2].canonical};
    const DimExpr substituted = pair.canonical.substitute(replacements);
    for (int i = 0; i < kPoints; ++i) {
      const Point point = maker.point();
      Point inside{};
      bool defined = true;
      for (size_t slot = 0; slot < kSlots; ++slot) {
        const auto value = inner[slot].plain(point);
        defined = defined && value;
        inside[slot] = value.value_or(0);
      }
      const auto expected = defined ? pair.plain(inside) : std::nullopt;
      if (!expected) continue;
      ASSERT_EQ(substituted.evaluate(point.data()), *expected)
          << "seed " << seed << ": " << pair.canonical.text() << " -> " << substituted.text() << " at "
          << testing::PrintToString(point);
    }
  }
}

}  // namespace
}  // namespace memline

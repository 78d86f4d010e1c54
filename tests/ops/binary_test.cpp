// Expected numbers are worked out by hand or with numpy; broadcasting by aligning shapes from the right.
#include <cmath>
#include <limits>

#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

TEST(Binary, ShapesAlignFromTheRight) {
  EXPECT_EQ(run("Add", "", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({3}, {10, 20, 30})}),
            f32({2, 3}, {11, 22, 33, 14, 25, 36}));
  EXPECT_EQ(run("Sub", "", {f32({2, 1}, {1, 2}), f32({1, 3}, {10, 20, 30})}),
            f32({2, 3}, {-9, -19, -29, -8, -18, -28}));
  EXPECT_EQ(run("Mul", "", {f32({}, {3}), f32({2, 1, 2}, {1, 2, 3, 4})}), f32({2, 1, 2}, {3, 6, 9, 12}));
  EXPECT_EQ(run("Add", "", {f32({0, 3}, {}), f32({1, 3}, {1, 2, 3})}), f32({0, 3}, {})) << "an extent of 0 stays 0";
  EXPECT_EQ(refusal("Add", "", {f32({2}, {1, 2}), f32({3}, {1, 2, 3})}),
            "axis 0 of the result broadcasts 2 with 3: 2 and 3 differ");
}

TEST(Binary, IntegerDivisionTruncatesTowardsZero) {
  const Tensor a = tensor(DType::i32, {6}, {7, -7, 7, -7, 1, 0}), b = tensor(DType::i32, {6}, {2, 2, -2, -2, 3, 5});
  EXPECT_EQ(run("Div", "", {a, b}), tensor(DType::i32, {6}, {3, -3, -3, 3, 0, 0}));
}

TEST(Binary, WhatTheHardwareCannotDivideDoesNotTrap) {
  const Tensor lowest = tensor(DType::i64, {2}, {-9223372036854775808.0, 5});
  EXPECT_EQ(run("Div", "", {lowest, i64({2}, {-1, 0})}).values[1], 0);
  EXPECT_EQ(run("Mod", "", {lowest, i64({2}, {-1, 0})}), i64({2}, {0, 0}));
  EXPECT_EQ(run("Div", "", {f32({3}, {1, -1, 0}), f32({3}, {0, 0, 0})}).values[0], kInf);
}

TEST(Binary, IntegersWrap) {
  EXPECT_EQ(run("Add", "", {tensor(DType::u8, {1}, {200}), tensor(DType::u8, {1}, {100})}),
            tensor(DType::u8, {1}, {44}));
  EXPECT_EQ(run("Sub", "", {tensor(DType::u32, {1}, {1}), tensor(DType::u32, {1}, {2})}),
            tensor(DType::u32, {1}, {4294967295.0}));
  EXPECT_EQ(run("Mul", "", {tensor(DType::i8, {1}, {100}), tensor(DType::i8, {1}, {3})}), tensor(DType::i8, {1}, {44}));
}

TEST(Binary, ModHasTheDivisorsSignAndFmodTheDividends) {
  const std::vector<double> a = {-4, 7, 5, 4, -7, 8}, b = {2, -3, 8, -2, 3, 5};
  const Tensor x = i64({6}, a), y = i64({6}, b);
  EXPECT_EQ(run("Mod", "", {x, y}), i64({6}, {0, -2, 5, 0, 2, 3}));
  EXPECT_EQ(run("Mod", "fmod=true", {x, y}), i64({6}, {0, 1, 5, 0, -1, 3}));
  expect_near(run("Mod", "fmod=true", {f32({3}, {-4.3, 7.2, 5.0}), f32({3}, {2.1, -3.4, 8.0})}),
              f32({3}, {-0.1, 0.4, 5.0}), 1e-5, 0);
  expect_near(run("Mod", "", {f32({3}, {-4.25, 7.25, -3}), f32({3}, {2, -3.5, kInf})}), f32({3}, {1.75, -3.25, kInf}),
              0, 0);
}

TEST(Binary, PowMixesTypesAndKeepsTheBases) {
  EXPECT_EQ(run("Pow", "", {f32({3}, {1, 2, 3}), i64({3}, {4, 5, 6})}), f32({3}, {1, 32, 729}));
  EXPECT_EQ(run("Pow", "", {i64({3}, {1, 2, 3}), f32({3}, {4, 5, 6})}), i64({3}, {1, 32, 729}));
  EXPECT_EQ(run("Pow", "", {tensor(DType::i32, {2}, {-3, 10}), tensor(DType::i32, {}, {3})}),
            tensor(DType::i32, {2}, {-27, 1000}));
  EXPECT_EQ(run("Pow", "", {tensor(DType::i32, {3}, {2, 1, -1}), i64({}, {-3})}), tensor(DType::i32, {3}, {0, 1, -1}));
  expect_near(run("Pow", "", {f32({3}, {2, -2, 0}), f32({3}, {0.5, 0.5, 0})}), f32({3}, {1.414213562, kNan, 1}), 1e-6,
              0);
  EXPECT_EQ(run("Pow", "", {i64({1}, {3}), i64({1}, {33})}).values[0], 5559060566555523.0)
      << "an f32 would lose digits";
}

TEST(Binary, ComparisonsGiveBooleansAndNanIsNeverEqual) {
  const Tensor a = f32({4}, {1, 2, 3, kNan}), b = f32({4}, {2, 2, 2, kNan});
  EXPECT_EQ(run("Equal", "", {a, b}), boolean({4}, {0, 1, 0, 0}));
  EXPECT_EQ(run("Less", "", {a, b}), boolean({4}, {1, 0, 0, 0}));
  EXPECT_EQ(run("LessOrEqual", "", {a, b}), boolean({4}, {1, 1, 0, 0}));
  EXPECT_EQ(run("Greater", "", {a, b}), boolean({4}, {0, 0, 1, 0}));
  EXPECT_EQ(run("GreaterOrEqual", "", {a, b}), boolean({4}, {0, 1, 1, 0}));
  EXPECT_EQ(run("Equal", "", {boolean({2}, {1, 0}), boolean({2}, {1, 1})}), boolean({2}, {1, 0}));
  EXPECT_EQ(run("Less", "", {tensor(DType::u64, {1}, {1}), tensor(DType::u64, {1}, {18446744073709549568.0})}),
            boolean({1}, {1}));
}

TEST(Binary, LogicAndBits) {
  const Tensor a = boolean({4}, {0, 0, 1, 1}), b = boolean({4}, {0, 1, 0, 1});
  EXPECT_EQ(run("And", "", {a, b}), boolean({4}, {0, 0, 0, 1}));
  EXPECT_EQ(run("Or", "", {a, b}), boolean({4}, {0, 1, 1, 1}));
  EXPECT_EQ(run("Xor", "", {a, b}), boolean({4}, {0, 1, 1, 0}));
  const Tensor x = tensor(DType::i8, {2}, {0b0110, -1}), y = tensor(DType::i8, {2}, {0b0011, 0b0101});
  EXPECT_EQ(run("BitwiseAnd", "", {x, y}), tensor(DType::i8, {2}, {0b0010, 0b0101}));
  EXPECT_EQ(run("BitwiseOr", "", {x, y}), tensor(DType::i8, {2}, {0b0111, -1}));
  EXPECT_EQ(run("BitwiseXor", "", {x, y}), tensor(DType::i8, {2}, {0b0101, -6}));
}

TEST(Binary, ShiftsLoseWhatLeavesTheType) {
  const Tensor a = tensor(DType::u8, {3}, {16, 200, 1}), n = tensor(DType::u8, {3}, {1, 1, 9});
  EXPECT_EQ(run("BitShift", "direction=\"LEFT\"", {a, n}), tensor(DType::u8, {3}, {32, 144, 0}));
  EXPECT_EQ(run("BitShift", "direction=\"RIGHT\"", {a, n}), tensor(DType::u8, {3}, {8, 100, 0}));
  const Tensor x = tensor(DType::i8, {4}, {-8, 64, -1, 4}), by = tensor(DType::i8, {4}, {1, 1, 9, -1});
  EXPECT_EQ(run("BitShift", "direction=\"RIGHT\"", {x, by}), tensor(DType::i8, {4}, {-4, 32, -1, 0}));
  EXPECT_EQ(run("BitShift", "direction=\"LEFT\"", {x, by}), tensor(DType::i8, {4}, {-16, -128, 0, 0}));
  EXPECT_EQ(refusal("BitShift", "", {a, n}), "direction is '', needs 'LEFT' or 'RIGHT'");
}

TEST(Binary, TypesMustAgree) {
  EXPECT_NE(refusal("Add", "", {f32({1}, {1}), i64({1}, {1})}).find("i64"), std::string::npos);
  EXPECT_EQ(refusal("Add", "", {boolean({1}, {1}), boolean({1}, {1})}), "input 0 is bool, needs a number type");
}

TEST(Binary, ShapeArithmetic) {
  const auto integers = [](const char* op, const char* a, const char* b, const char* attrs = "") {
    return infer(op, attrs, {{"i64[1]", a}, {"i64[1]", b}}).integers;
  };
  EXPECT_EQ(integers("Add", "s0", "3"), DimExpr::parse("s0+3").value().text());
  EXPECT_EQ(integers("Mul", "s0", "2"), DimExpr::parse("s0*2").value().text());
  EXPECT_EQ(integers("Div", "s0", "32"), DimExpr::parse("floordiv(s0, 32)").value().text());
  EXPECT_EQ(integers("Div", "-7", "2"), "-3") << "truncates, does not round down";
  EXPECT_EQ(integers("Mod", "s0", "32"), DimExpr::parse("mod(s0, 32)").value().text());
  EXPECT_EQ(integers("Mod", "-7", "3"), "2");
  EXPECT_EQ(integers("Equal", "s0", "s0"), "1");
  EXPECT_EQ(integers("Less", "3", "4"), "1");
  EXPECT_EQ(integers("Max", "s0", "s0"), "s0");
  EXPECT_EQ(infer("Add", "", {{"i64[2]", "s0;s1"}, {"i64[]", "1"}}).integers,
            DimExpr::parse("s0+1").value().text() + "; " + DimExpr::parse("s1+1").value().text());
}

TEST(Binary, DivisionOfASizeThatMayBeNegativeStillTruncates) {
  const Inference result = infer("Div", "", {{"i64[1]", "s0-5"}, {"i64[1]", "2"}});
  const DimExpr quotient = DimExpr::parse(result.integers).value();
  for (const int64_t s0 : {0, 1, 4, 5, 6, 9}) EXPECT_EQ(quotient.evaluate(&s0), (s0 - 5) / 2) << s0;
}

TEST(Binary, ExtentsThatMayDifferAreConditions) {
  EXPECT_EQ(infer("Add", "", {{"f32[s0,3]", ""}, {"f32[s0,1]", ""}}).conditions.size(), 0u);
  const Inference result = infer("Add", "", {{"f32[s0]", ""}, {"f32[4]", ""}});
  EXPECT_EQ(result.types[0], "f32[4]");
  ASSERT_EQ(result.conditions.size(), 1u);
  const DimExpr condition = DimExpr::parse(result.conditions[0]).value();
  const int64_t one = 1, four = 4, three = 3;
  EXPECT_NE(condition.evaluate(&one), 0);
  EXPECT_NE(condition.evaluate(&four), 0);
  EXPECT_EQ(condition.evaluate(&three), 0);
}

TEST(Binary, RowsOfARepeatedInputAreAllOfIt) {
  const std::vector<Symbolic> inputs = {{"f32[2,16,8,8]", ""}, {"f32[16,1,8]", ""}};
  EXPECT_EQ(rows_of("Add", "", inputs, 2, {3, 5}), "2 [3, 5); all");
  EXPECT_EQ(rows_of("Add", "", inputs, 3, {3, 5}), "3 [3, 5); 2 [3, 5)");
  EXPECT_EQ(rows_of("Add", "", inputs, 0, {1, 2}), "0 [1, 2); all");
}

TEST(Variadic, CombinesAnyNumberOfInputsWithBroadcasting) {
  const Tensor a = f32({2, 1}, {1, 5}), b = f32({3}, {2, 4, 6}), c = f32({}, {3});
  EXPECT_EQ(run("Max", "", {a, b, c}), f32({2, 3}, {3, 4, 6, 5, 5, 6}));
  EXPECT_EQ(run("Min", "", {a, b, c}), f32({2, 3}, {1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(run("Sum", "", {a, b, c}), f32({2, 3}, {6, 8, 10, 10, 12, 14}));
  EXPECT_EQ(run("Mean", "", {a, b, c, c}), f32({2, 3}, {2.25, 2.75, 3.25, 3.25, 3.75, 4.25}));
  EXPECT_EQ(run("Sum", "", {b}), b);
  EXPECT_EQ(run("Max", "", {i64({2}, {-1, 4}), i64({1}, {2})}), i64({2}, {2, 4}));
}

TEST(Variadic, NanSurvivesMinAndMax) {
  const Tensor a = f32({3}, {kNan, 1, 2}), b = f32({3}, {1, kNan, 3});
  expect_near(run("Max", "", {a, b}), f32({3}, {kNan, kNan, 3}), 0, 0);
  expect_near(run("Min", "", {a, b}), f32({3}, {kNan, kNan, 2}), 0, 0);
}

TEST(Clip, CrossedBoundsGiveMaxEverywhere) {
  EXPECT_EQ(run("Clip", "", {f32({3}, {-5, 1, 9}), f32({}, {4}), f32({}, {2})}), f32({3}, {2, 2, 2}));
  EXPECT_EQ(run("Clip", "", {f32({3}, {-5, 1, 9}), f32({}, {0}), f32({}, {2})}), f32({3}, {0, 1, 2}));
}

TEST(Clip, AnAbsentBoundIsTheLastFiniteValue) {
  constexpr double kMost = std::numeric_limits<float>::max();
  const Tensor x = f32({3}, {-kInf, 1, kInf});
  EXPECT_EQ(run("Clip", "", {x, absent(), f32({}, {2})}), f32({3}, {-kMost, 1, 2}));
  EXPECT_EQ(run("Clip", "", {x}), f32({3}, {-kMost, 1, kMost}));
  EXPECT_EQ(run("Clip", "", {tensor(DType::f16, {1}, {kInf})}), tensor(DType::f16, {1}, {65504}));
  EXPECT_EQ(run("Clip", "", {tensor(DType::i8, {3}, {-9, 0, 9}), absent(), tensor(DType::i8, {}, {5})}),
            tensor(DType::i8, {3}, {-9, 0, 5}));
}

TEST(Clip, BeforeOpset11TheBoundsAreAttributes) {
  const Attributes attributes = {.floats = {{"min", -1.0f}, {"max", 1.0f}}};
  EXPECT_EQ(import_and_run("Clip", 6, attributes, {f32({3}, {-5, 0.5, 9})}).value()[0], f32({3}, {-1, 0.5, 1}));
  EXPECT_EQ(import_and_run("Clip", 6, {.floats = {{"max", 1.0f}}}, {tensor(DType::f16, {2}, {-5, 9})}).value()[0],
            tensor(DType::f16, {2}, {-5, 1}));
}

TEST(PRelu, BroadcastsTheSlopeToTheInputOnly) {
  EXPECT_EQ(run("PRelu", "", {f32({1, 2, 2}, {-1, 2, -3, 4}), f32({2, 1}, {0.5, 2})}),
            f32({1, 2, 2}, {-0.5, 2, -6, 4}));
  EXPECT_EQ(refusal("PRelu", "", {f32({2}, {1, 2}), f32({1, 2}, {1, 1})}), "slope has rank 2, above the input's 1");
  EXPECT_NE(refusal("PRelu", "", {f32({1}, {1}), f32({2}, {1, 1})}), "");
}

TEST(Where, PicksByConditionAndBroadcasts) {
  EXPECT_EQ(run("Where", "", {boolean({2, 1}, {1, 0}), i64({3}, {1, 2, 3}), i64({}, {9})}),
            i64({2, 3}, {1, 2, 3, 9, 9, 9}));
  EXPECT_EQ(infer("Where", "", {{"bool[2]", "1;0"}, {"i64[2]", "s0;s1"}, {"i64[]", "7"}}).integers, "s0; 7");
}

}  // namespace
}  // namespace memline::ops::testing

// Expected numbers: numpy in float64 from the formulas of the ONNX text, rounded to nine digits.
#include <cmath>
#include <limits>

#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

struct Formula {
  const char* op;
  const char* attrs;
  std::vector<double> expected;  // at -3, -1, -0.5, 0, 0.25, 1, 2.5
};

TEST(Unary, EveryFloatFunctionFollowsItsFormula) {
  const std::vector<double> x = {-3, -1, -0.5, 0, 0.25, 1, 2.5};
  const std::vector<Formula> formulas = {
      {"Exp", "", {0.049787068, 0.367879441, 0.60653066, 1.0, 1.284025417, 2.718281828, 12.182493961}},
      {"Sin", "", {-0.141120008, -0.841470985, -0.479425539, 0.0, 0.247403959, 0.841470985, 0.598472144}},
      {"Cos", "", {-0.989992497, 0.540302306, 0.877582562, 1.0, 0.968912422, 0.540302306, -0.801143616}},
      {"Tan", "", {0.142546543, -1.557407725, -0.54630249, 0.0, 0.255341921, 1.557407725, -0.747022297}},
      {"Sinh", "", {-10.017874927, -1.175201194, -0.521095305, 0.0, 0.252612317, 1.175201194, 6.050204481}},
      {"Cosh", "", {10.067661996, 1.543080635, 1.127625965, 1.0, 1.0314131, 1.543080635, 6.13228948}},
      {"Tanh", "", {-0.995054754, -0.761594156, -0.462117157, 0.0, 0.244918662, 0.761594156, 0.986614298}},
      {"Atan", "", {-1.249045772, -0.785398163, -0.463647609, 0.0, 0.244978663, 0.785398163, 1.19028995}},
      {"Erf", "", {-0.99997791, -0.842700793, -0.520499878, 0.0, 0.27632639, 0.842700793, 0.999593048}},
      {"Sigmoid", "", {0.047425873, 0.268941421, 0.377540669, 0.5, 0.562176501, 0.731058579, 0.92414182}},
      {"Softplus", "", {0.048587352, 0.313261688, 0.474076984, 0.693147181, 0.82593942, 1.313261688, 2.578889734}},
      {"Softsign", "", {-0.75, -0.5, -0.333333333, 0.0, 0.2, 0.5, 0.714285714}},
      {"Mish", "", {-0.145647461, -0.303401461, -0.220743775, 0.0, 0.16957241, 0.865098388, 2.471392305}},
      {"HardSwish", "", {0.0, -0.333333333, -0.208333333, 0.0, 0.135416667, 0.666666667, 2.291666667}},
      {"HardSigmoid", "", {0.0, 0.3, 0.4, 0.5, 0.55, 0.7, 1.0}},
      {"HardSigmoid", "alpha=0.3, beta=0.4", {0.0, 0.1, 0.25, 0.4, 0.475, 0.7, 1.0}},
      {"Elu", "alpha=2", {-1.900425863, -1.264241118, -0.786938681, 0.0, 0.25, 1.0, 2.5}},
      {"Celu", "alpha=2", {-1.55373968, -0.786938681, -0.442398434, 0.0, 0.25, 1.0, 2.5}},
      {"Selu", "", {-1.670568734, -1.111330741, -0.69175819, 0.0, 0.262675256, 1.050701022, 2.626752555}},
      {"Gelu", "", {-0.004049694, -0.158655254, -0.154268769, 0.0, 0.149676581, 0.841344746, 2.484475837}},
      {"Gelu",
       "approximate=\"tanh\"",
       {-0.003637392, -0.158808009, -0.15428599, 0.0, 0.149675351, 0.841191991, 2.484915734}},
      {"ThresholdedRelu", "alpha=0.25", {0, 0, 0, 0, 0, 1.0, 2.5}},
      {"LeakyRelu", "", {-0.03, -0.01, -0.005, 0, 0.25, 1.0, 2.5}},
      {"LeakyRelu", "alpha=0.1", {-0.3, -0.1, -0.05, 0, 0.25, 1.0, 2.5}},
      {"Relu", "", {0, 0, 0, 0, 0.25, 1.0, 2.5}},
      {"Abs", "", {3, 1, 0.5, 0, 0.25, 1.0, 2.5}},
      {"Neg", "", {3, 1, 0.5, 0, -0.25, -1.0, -2.5}},
      {"Sign", "", {-1, -1, -1, 0, 1, 1, 1}},
      {"Reciprocal", "", {-0.333333333, -1, -2, kInf, 4, 1, 0.4}},
      {"Ceil", "", {-3, -1, 0, 0, 1, 1, 3}},
      {"Floor", "", {-3, -1, -1, 0, 0, 1, 2}},
  };
  for (const Formula& f : formulas) {
    SCOPED_TRACE(std::string(f.op) + " " + f.attrs);
    expect_near(run(f.op, f.attrs, {f32({7}, x)}), f32({7}, f.expected), 1e-6, 1e-7);
    expect_near(run(f.op, f.attrs, {tensor(DType::f64, {7}, x)}), tensor(DType::f64, {7}, f.expected), 2e-7, 1e-8);
    expect_near(run(f.op, f.attrs, {tensor(DType::f16, {7}, x)}), tensor(DType::f16, {7}, f.expected), 5e-4, 1e-5);
    expect_near(run(f.op, f.attrs, {tensor(DType::bf16, {7}, x)}), tensor(DType::bf16, {7}, f.expected), 4e-3, 1e-4);
  }
}

TEST(Unary, FunctionsOfALimitedDomain) {
  const Tensor u = f32({5}, {-1, -0.5, 0, 0.25, 1});
  expect_near(run("Asin", "", {u}), f32({5}, {-1.570796327, -0.523598776, 0.0, 0.252680255, 1.570796327}), 1e-6, 0);
  expect_near(run("Acos", "", {u}), f32({5}, {3.141592654, 2.094395102, 1.570796327, 1.318116072, 0.0}), 1e-6, 0);
  const Tensor v = f32({6}, {0.25, 1, 2, 10, 0, -1});
  expect_near(run("Log", "", {v}), f32({6}, {-1.386294361, 0.0, 0.693147181, 2.302585093, -kInf, kNan}), 1e-6, 0);
  expect_near(run("Sqrt", "", {v}), f32({6}, {0.5, 1.0, 1.414213562, 3.16227766, 0, kNan}), 1e-6, 0);
}

TEST(Unary, RoundTakesHalvesToTheEvenNeighbour) {
  EXPECT_EQ(run("Round", "", {f32({7}, {0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 2.6})}), f32({7}, {0, 2, 2, -0.0, -2, 2, 3}));
}

TEST(Unary, LargeArgumentsNeitherOverflowNorBecomeNan) {
  const Tensor x = f32({4}, {-200, 200, -kInf, kInf});
  EXPECT_EQ(run("Sigmoid", "", {x}), f32({4}, {run("Sigmoid", "", {x}).values[0], 1, 0, 1}));
  EXPECT_EQ(run("Softplus", "", {x}), f32({4}, {0, 200, 0, kInf}));
  EXPECT_EQ(run("Tanh", "", {x}), f32({4}, {-1, 1, -1, 1}));
  EXPECT_EQ(run("Elu", "", {x}), f32({4}, {-1, 200, -1, kInf}));
}

TEST(Unary, NanStaysNan) {
  for (const char* op : {"Relu", "Abs", "Neg", "Sign", "Sigmoid", "Softplus", "HardSwish", "HardSigmoid", "LeakyRelu",
                         "Elu", "Celu", "Selu", "Gelu", "Mish", "Round", "Floor", "Erf", "Tanh"})
    EXPECT_TRUE(std::isnan(run(op, "", {f32({1}, {kNan})}).values[0])) << op;
}

TEST(Unary, IntegersAreComputedAsIntegers) {
  EXPECT_EQ(run("Relu", "", {tensor(DType::i8, {3}, {-128, 0, 127})}), tensor(DType::i8, {3}, {0, 0, 127}));
  EXPECT_EQ(run("Abs", "", {tensor(DType::i32, {2}, {-7, 7})}), tensor(DType::i32, {2}, {7, 7}));
  EXPECT_EQ(run("Abs", "", {tensor(DType::i8, {1}, {-128})}), tensor(DType::i8, {1}, {-128})) << "wraps, as numpy does";
  EXPECT_EQ(run("Neg", "", {tensor(DType::i16, {2}, {-7, 32767})}), tensor(DType::i16, {2}, {7, -32767}));
  EXPECT_EQ(run("Sign", "", {tensor(DType::u8, {2}, {0, 200})}), tensor(DType::u8, {2}, {0, 1}));
  EXPECT_EQ(run("BitwiseNot", "", {tensor(DType::u8, {2}, {0, 0b10100101})}),
            tensor(DType::u8, {2}, {255, 0b01011010}));
  EXPECT_EQ(run("BitwiseNot", "", {tensor(DType::i32, {2}, {0, -5})}), tensor(DType::i32, {2}, {-1, 4}));
  // Beyond 2^53 a double would lose the last bit.
  EXPECT_EQ(run("Neg", "", {i64({1}, {9007199254740992.0})}).values[0], -9007199254740992.0);
}

TEST(Unary, TestsGiveBooleans) {
  const Tensor x = f32({4}, {1, kNan, kInf, -kInf});
  EXPECT_EQ(run("IsNaN", "", {x}), boolean({4}, {0, 1, 0, 0}));
  EXPECT_EQ(run("IsInf", "", {x}), boolean({4}, {0, 0, 1, 1}));
  EXPECT_EQ(run("IsInf", "detect_negative=false", {x}), boolean({4}, {0, 0, 1, 0}));
  EXPECT_EQ(run("IsInf", "detect_positive=false", {x}), boolean({4}, {0, 0, 0, 1}));
  EXPECT_EQ(run("Not", "", {boolean({2}, {1, 0})}), boolean({2}, {0, 1}));
}

TEST(Unary, AWrongTypeIsRefusedByName) {
  EXPECT_EQ(refusal("Exp", "", {i64({1}, {1})}), "input 0 is i64, needs a float type");
  EXPECT_EQ(refusal("Relu", "", {tensor(DType::u8, {1}, {1})}), "input 0 is u8, needs a float or signed integer type");
  EXPECT_EQ(refusal("Not", "", {f32({1}, {1})}), "input 0 is f32, needs bool");
  EXPECT_EQ(refusal("BitwiseNot", "", {f32({1}, {1})}), "input 0 is f32, needs an integer type");
  EXPECT_EQ(refusal("Gelu", "approximate=\"erf\"", {f32({1}, {1})}), "approximate is 'erf', needs 'none' or 'tanh'");
  EXPECT_EQ(refusal("Exp", "", {f32({1}, {1}), f32({1}, {1})}), "expects 1 input, got 2");
}

TEST(Unary, ShapeArithmeticGoesThroughAbsNegAndNot) {
  EXPECT_EQ(infer("Neg", "", {{"i64[2]", "s0;3"}}).integers,
            infer("Sub", "", {{"i64[2]", "0;0"}, {"i64[2]", "s0;3"}}).integers);
  EXPECT_EQ(infer("Abs", "", {{"i64[1]", "-4"}}).integers, "4");
  EXPECT_EQ(infer("Not", "", {{"bool[2]", "0;1"}}).integers, "1; 0");
}

}  // namespace
}  // namespace memline::ops::testing

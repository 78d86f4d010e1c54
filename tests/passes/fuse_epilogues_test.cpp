#include <gtest/gtest.h>

#include "passes/pass.h"
#include "support/graph_check.h"

namespace memline {
namespace {

using passes::fuse_epilogues;
using test::apply;
using test::expect_same_results;
using test::hits;
using test::op_names;
using test::parse;

TEST(FuseEpilogues, TakesEveryActivation) {
  const std::pair<std::string, std::string> kinds[] = {{"Relu(c)", "relu"},
                                                       {"Sigmoid(c)", "sigmoid"},
                                                       {"Tanh(c)", "tanh"},
                                                       {"HardSwish(c)", "hard_swish"},
                                                       {"Mish(c)", "mish"},
                                                       {"memline.Silu(c)", "silu"},
                                                       {"LeakyRelu(c) alpha=0.1", "leaky_relu"},
                                                       {"HardSigmoid(c) alpha=0.25", "hard_sigmoid"},
                                                       {"Gelu(c)", "gelu"},
                                                       {"Gelu(c) approximate=\"tanh\"", "gelu_tanh"},
                                                       {"Neg(c)", "affine"},
                                                       {"Clip(c, low, high)", "clip"},
                                                       {"Clip(c, _, high)", "clip"}};
  for (const auto& [node, kind] : kinds) {
    const Graph before = parse(
        "x = Input() f32[1,3,6,6]\nlow = Constant() f32[] {0}\nhigh = Constant() f32[] {0.5}\n"
        "c = Conv(x, w:f32[4,3,3,3], b:f32[4])\ny = " +
        node + "\nOutput(y)");
    const Graph after = apply(fuse_epilogues, before);
    EXPECT_EQ(op_names(after), "Input Conv|" + kind + " Output") << node;
    expect_same_results(before, after, {.relative = 1e-5f});
  }
}

TEST(FuseEpilogues, TakesAResidualAndTheActivationBehindIt) {
  const Graph before = parse(R"(
    x = Input() f32[1,4,6,6]
    c = Conv(x, w:f32[4,4,3,3]) pads=[1,1,1,1]
    s = Add(x, c)
    y = Relu(s)
    Output(y))");
  const Graph after = apply(fuse_epilogues, before);
  EXPECT_EQ(op_names(after), "Input Conv|add|relu Output");
  expect_same_results(before, after, {.relative = 1e-5f});
}

TEST(FuseEpilogues, GivesTheSumOfTwoConvolutionsToTheLaterOne) {
  const Graph before = parse(R"(
    x = Input() f32[1,4,6,6]
    a = Conv(x, v:f32[4,4,1,1])
    r = Relu(x)
    b = Conv(r, w:f32[4,4,1,1])
    s = Add(a, b)
    y = Relu(s)
    Output(y))");
  const Graph after = apply(fuse_epilogues, before);
  EXPECT_EQ(op_names(after), "Input Conv Relu Conv|add|relu Output");
  expect_same_results(before, after, {.relative = 1e-5f});
}

TEST(FuseEpilogues, TakesAGateOfOneNumberAChannel) {
  const Graph before = parse(R"(
    x = Input() f32[2,4,6,6]
    g = Input() f32[2,4,1,1]
    c = Conv(x, w:f32[4,4,1,1])
    y = Mul(c, g)
    Output(y))");
  const Graph after = apply(fuse_epilogues, before);
  EXPECT_EQ(op_names(after), "Input Input Conv|mul Output");
  expect_same_results(before, after, {.relative = 1e-5f});
}

TEST(FuseEpilogues, JoinsNumbersIntoOneMap) {
  const Graph before = parse(R"(
    two = Constant() f32[] {2}
    three = Constant() f32[] {3}
    x = Input() f32[3,5]
    p = MatMul(x, w:f32[5,4])
    a = Mul(p, two)
    b = Sub(three, a)
    y = Div(b, two)
    Output(y))");
  const Graph after = apply(fuse_epilogues, before);
  EXPECT_EQ(op_names(after), "Input MatMul|affine Output");
  expect_same_results(before, after, {.relative = 1e-5f});
}

TEST(FuseEpilogues, LeavesASumThatBroadcastsAResidualAlone) {
  EXPECT_EQ(hits(fuse_epilogues, parse(R"(
    x = Input() f32[1,4,6,6]
    r = Input() f32[6,6]
    c = Conv(x, w:f32[4,4,1,1])
    y = Add(c, r)
    Output(y))")),
            0);
}

TEST(FuseEpilogues, LeavesAGateThatMakesTheTensorLargerAlone) {
  EXPECT_EQ(hits(fuse_epilogues, parse(R"(
    x = Input() f32[1,4,1,1]
    g = Input() f32[1,4,6,6]
    c = Conv(x, w:f32[4,4,1,1])
    y = Mul(c, g)
    Output(y))")),
            0);
}

TEST(FuseEpilogues, LeavesOutputsAndValuesWithTwoReadersAlone) {
  EXPECT_EQ(hits(fuse_epilogues, parse(R"(
    x = Input() f32[1,4,6,6]
    c = Conv(x, w:f32[4,4,1,1])
    y = Relu(c)
    Output(y, c))")),
            0);
  EXPECT_EQ(hits(fuse_epilogues, parse(R"(
    x = Input() f32[1,4,6,6]
    c = Conv(x, w:f32[4,4,1,1])
    y = Relu(c)
    z = Sigmoid(c)
    Output(y, z))")),
            0);
  EXPECT_EQ(hits(fuse_epilogues, parse(R"(
    x = Input() f32[1,4,6,6]
    c = Conv(x, w:f32[4,4,1,1])
    y = Mul(c, c)
    Output(y))")),
            0);
}

TEST(FuseEpilogues, StopsAtAnOutputInTheMiddle) {
  const Graph before = parse(R"(
    x = Input() f32[1,4,6,6]
    c = Conv(x, w:f32[4,4,1,1])
    r = Relu(c)
    y = Tanh(r)
    Output(y, r))");
  const Graph after = apply(fuse_epilogues, before);
  EXPECT_EQ(op_names(after), "Input Conv|relu Tanh Output Output");
  expect_same_results(before, after, {.relative = 1e-5f});
}

TEST(FuseEpilogues, LeavesDoublesAlone) {
  EXPECT_EQ(hits(fuse_epilogues, parse("x = Input() f64[3,5]\np = MatMul(x, w:f64[5,4])\ny = Relu(p)\nOutput(y)")), 0);
}

}  // namespace
}  // namespace memline

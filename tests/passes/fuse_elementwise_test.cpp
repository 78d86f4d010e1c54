#include <gtest/gtest.h>

#include "passes/pass.h"
#include "support/graph_check.h"

namespace memline {
namespace {

using passes::fuse_elementwise;
using test::apply;
using test::expect_same_results;
using test::hits;
using test::op_names;
using test::parse;

TEST(FuseElementwise, MakesOneNodeOfAChain) {
  const Graph before = parse(R"(
    x = Input() f32[1,4,6,6]
    r = Input() f32[1,4,6,6]
    a = Add(x, r)
    b = Relu(a)
    c = Mul(b, r)
    y = Tanh(c)
    Output(y))");
  const Graph after = apply(fuse_elementwise, before);
  EXPECT_EQ(op_names(after), "Input Input Add|relu|mul|tanh Output");
  expect_same_results(before, after, {.relative = 1e-5f});
}

TEST(FuseElementwise, JoinsTwoChainsWithoutACycle) {
  const Graph before = parse(R"(
    x = Input() f32[2,8]
    a = Relu(x)
    b = Sigmoid(x)
    c = Tanh(b)
    d = Add(a, c)
    y = HardSwish(d)
    Output(y))");
  const Graph after = apply(fuse_elementwise, before);
  expect_same_results(before, after, {.relative = 1e-5f});
  EXPECT_LE(after.nodes().size(), 2u);
}

TEST(FuseElementwise, StopsWhereTheShapeGrows) {
  EXPECT_EQ(hits(fuse_elementwise, parse(R"(
    x = Input() f32[8]
    r = Input() f32[2,8]
    a = Relu(x)
    y = Add(a, r)
    Output(y))")),
            0);
}

TEST(FuseElementwise, LeavesIntegersAlone) {
  EXPECT_EQ(hits(fuse_elementwise, parse("x = Input() i64[8]\na = Add(x, x)\ny = Neg(a)\nOutput(y)")), 0);
}

TEST(FuseElementwise, TakesAtMostEightSteps) {
  std::string text = "x0 = Input() f32[8]\n";
  for (int i = 0; i < 12; ++i)
    text += "x" + std::to_string(i + 1) + " = " + (i % 2 ? "Tanh" : "Sigmoid") + "(x" + std::to_string(i) + ")\n";
  const Graph before = parse(text + "Output(x12)"), after = apply(fuse_elementwise, before);
  ASSERT_EQ(after.nodes().size(), 2u);
  EXPECT_EQ(after.nodes()[0].epilogues.size(), 8u);
  expect_same_results(before, after, {.relative = 1e-5f});
}

}  // namespace
}  // namespace memline

// Activations that models write in several nodes: SiLU, hard swish, GELU.
#include <gtest/gtest.h>

#include "passes/pass.h"
#include "support/graph_check.h"

namespace memline {
namespace {

using namespace passes;
using test::apply;
using test::expect_same_results;
using test::hits;
using test::op_names;
using test::parse;

TEST(FuseSilu, FindsTheProductWithItsOwnSigmoidInEitherOrder) {
  for (const std::string product : {"Mul(x, s)", "Mul(s, x)"}) {
    const Graph before = parse("x = Input() f32[2,8]\ns = Sigmoid(x)\ny = " + product + "\nz = Relu(x)\nOutput(y, z)");
    const Graph after = apply(fuse_silu, before);
    EXPECT_EQ(op_names(after), "Input Silu Relu Output Output");
    expect_same_results(before, after, {.relative = 1e-5f});
  }
}

TEST(FuseSilu, LeavesASigmoidThatSomethingElseReadsAlone) {
  EXPECT_EQ(hits(fuse_silu, parse("x = Input() f32[8]\ns = Sigmoid(x)\ny = Mul(x, s)\nOutput(y, s)")), 0);
  EXPECT_EQ(hits(fuse_silu, parse("x = Input() f32[8]\ns = Sigmoid(x)\ny = Mul(x, s)\nz = Relu(s)\nOutput(y, z)")), 0);
}

TEST(FuseSilu, LeavesAnotherProductAlone) {
  EXPECT_EQ(hits(fuse_silu, parse("x = Input() f32[8]\nr = Input() f32[8]\ns = Sigmoid(x)\ny = Mul(r, s)\nOutput(y)")),
            0);
  EXPECT_EQ(hits(fuse_silu, parse("x = Input() f32[8]\ns = Sigmoid(x)\ny = Mul(s, s)\nOutput(y)")), 0);
}

constexpr const char* kNumbers = R"(
    three = Constant() f32[] {3}
    six = Constant() f32[] {6}
    zero = Constant() f32[] {0}
    sixth = Constant() f32[] {0.16666667}
    x = Input() f32[2,8]
    a = Add(x, three)
    c = Clip(a, zero, six)
)";

TEST(FuseHardSwish, FindsTheFormsOfExporters) {
  for (const std::string tail : {"m = Mul(x, c)\ny = Div(m, six)", "m = Mul(c, x)\ny = Mul(m, sixth)"}) {
    const Graph before = parse(kNumbers + tail + "\nOutput(y)"), after = apply(fuse_hard_swish, before);
    EXPECT_EQ(op_names(after), "Input HardSwish Output") << tail;
    expect_same_results(before, after, {.relative = 1e-5f});
  }
}

TEST(FuseHardSwish, FindsHardSigmoidAndThenItsProduct) {
  const Graph before = parse(std::string(kNumbers) + "h = Div(c, six)\ny = Mul(x, h)\nOutput(y)");
  const Graph once = apply(fuse_hard_swish, before);
  EXPECT_EQ(op_names(once), "Input HardSigmoid Mul Output");
  const Graph twice = apply(fuse_hard_swish, once);
  EXPECT_EQ(op_names(twice), "Input HardSwish Output");
  expect_same_results(before, twice, {.relative = 1e-5f});
}

TEST(FuseHardSwish, LeavesOtherBoundsSlopesAndReadersAlone) {
  EXPECT_EQ(hits(fuse_hard_swish,
                 parse("x = Input() f32[8]\nh = HardSigmoid(x) alpha=0.2, beta=0.5\ny = Mul(x, h)\nOutput(y)")),
            0);
  EXPECT_EQ(hits(fuse_hard_swish, parse(std::string(kNumbers) + "h = Div(c, three)\ny = Mul(x, h)\nOutput(y)")), 0);
  EXPECT_EQ(hits(fuse_hard_swish, parse(std::string(kNumbers) + "h = Div(c, six)\nOutput(h, a)")), 0);
  EXPECT_EQ(hits(fuse_hard_swish, parse(std::string(kNumbers) + "h = Div(c, six)\nOutput(h, c)")), 0);
}

constexpr const char* kErf = R"(
    root = Constant() f32[] {1.4142135}
    root_half = Constant() f32[] {0.70710677}
    one = Constant() f32[] {1}
    half = Constant() f32[] {0.5}
    x = Input() f32[2,64]
)";

TEST(FuseGelu, FindsTheOrdersOfExporters) {
  const std::string quotient = "q = Div(x, root)\n", scaled = "q = Mul(x, root_half)\n",
                    sum = "e = Erf(q)\ns = Add(e, one)\n";
  for (const std::string& text :
       {quotient + sum + "p = Mul(x, s)\ny = Mul(p, half)", scaled + sum + "h = Mul(x, half)\ny = Mul(h, s)",
        quotient + sum + "h = Mul(s, half)\ny = Mul(h, x)"}) {
    const Graph before = parse(kErf + text + "\nOutput(y)"), after = apply(fuse_gelu, before);
    EXPECT_EQ(op_names(after), "Input Gelu Output") << text;
    expect_same_results(before, after, {.relative = 1e-5f});
  }
}

TEST(FuseGelu, LeavesWhatIsReadElsewhereOrHalvedTwiceAlone) {
  const std::string start = std::string(kErf) + "q = Div(x, root)\ne = Erf(q)\ns = Add(e, one)\n";
  EXPECT_EQ(hits(fuse_gelu, parse(start + "p = Mul(x, s)\ny = Mul(p, half)\nOutput(y, e)")), 0);
  EXPECT_EQ(hits(fuse_gelu, parse(start + "p = Mul(x, s)\ny = Mul(p, root)\nOutput(y)")), 0);
  EXPECT_EQ(hits(fuse_gelu, parse(start + "p = Mul(x, s)\nOutput(p)")), 0);
  EXPECT_EQ(hits(fuse_gelu, parse(start + "h = Mul(x, half)\nk = Mul(s, half)\ny = Mul(h, k)\nOutput(y)")), 0);
}

}  // namespace
}  // namespace memline

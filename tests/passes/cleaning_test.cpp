// Folding constants, removing dead nodes and identities, merging equal nodes.
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

TEST(FoldConstants, ComputesChainsOfConstantsInOneRound) {
  const Graph before = parse(R"(
    x = Input() f32[4]
    a = Relu(k:f32[4])
    b = Tanh(a)
    y = Add(x, b)
    Output(y, b))");
  const Graph after = apply(fold_constants, before);
  EXPECT_EQ(op_names(after), "Input Add Output Output");
  EXPECT_TRUE(after.is_constant(after.outputs()[1]));
  expect_same_results(before, after, {});
}

TEST(FoldConstants, KnowsTheShapeOfAFixedInput) {
  const Graph before = parse(R"(
    x = Input() f32[4,6]
    s = Shape(x)
    y = Expand(k:f32[1,1], s)
    Output(y))");
  const Graph after = apply(fold_constants, before);
  EXPECT_EQ(op_names(after), "Input Output");
  expect_same_results(before, after, {});
}

TEST(FoldConstants, LeavesShapesThatTheRunDecidesAlone) {
  EXPECT_EQ(hits(fold_constants, parse(R"(
    slot n min=1 opt=2 max=8
    x = Input() f32[n,6]
    s = Shape(x)
    y = Expand(k:f32[1,1], s)
    Output(y))")),
            0);
}

TEST(FoldConstants, LeavesResultsMuchLargerThanTheirInputsAlone) {
  EXPECT_EQ(hits(fold_constants, parse(R"(
    s = Constant() i64[2] {4096, 4096}
    y = Expand(k:f32[1,1], s)
    Output(y))")),
            0);
}

TEST(RemoveDeadNodes, DropsWhatNoOutputNeeds) {
  const Graph before = parse(R"(
    x = Input() f32[4]
    a = Relu(x)
    b = Tanh(a)
    y = Sigmoid(x)
    Output(y))");
  EXPECT_EQ(hits(remove_dead_nodes, before), 2);
  EXPECT_EQ(op_names(apply(remove_dead_nodes, before)), "Input Sigmoid Output");
}

TEST(RemoveDeadNodes, KeepsANodeWithOneOutputInUse) {
  EXPECT_EQ(
      hits(remove_dead_nodes, parse("x = Input() f32[4]\nk = Constant() i64[1] {2}\nv, i = TopK(x, k)\nOutput(i)")), 0);
}

TEST(RemoveIdentities, FindsNodesThatGiveBackWhatTheyGet) {
  const char* constants =
      "zero = Constant() f32[] {0}\none = Constant() f32[1,1] {1}\nshape = Constant() i64[2] {2,6}\nzeros = Constant() "
      "i64[4] {0,0,0,0}\n"
      "first = Constant() i64[2] {0,0}\nlast = Constant() i64[2] {2,99}\nones = Constant() i64[2] {1,1}\nx = Input() "
      "f32[2,6]\n";
  for (const std::string node :
       {"Identity(x)", "Dropout(x)", "Cast(x) to=f32", "Transpose(x) perm=[0,1]", "Reshape(x, shape)",
        "Expand(x, ones)", "Slice(x, first, last)", "Pad(x, zeros)", "Concat(x) axis=1", "Sum(x)", "Mul(x, one)",
        "Add(zero, x)", "Sub(x, zero)", "Div(x, one)", "Tile(x, ones)"}) {
    const Graph before = parse(constants + ("n = " + node + "\ny = Relu(n)\nOutput(y, n)")),
                after = apply(remove_identities, before);
    EXPECT_EQ(op_names(after), "Input Relu Output Output") << node;
    expect_same_results(before, after, {});
  }
}

TEST(RemoveIdentities, LeavesNodesThatDoSomethingAlone) {
  const char* constants =
      "two = Constant() f32[] {2}\none = Constant() f32[3,1,1] {1,1,1}\nshape = Constant() i64[2] {3,4}\npads = "
      "Constant() i64[4] {1,0,-1,0}\n"
      "first = Constant() i64[2] {1,5}\nlast = Constant() i64[2] {-99,-99}\naxes = Constant() i64[2] {0,1}\n"
      "back = Constant() i64[2] {-1,-1}\nx = Input() f32[2,6]\nsquare = Input() f32[6,6]\n";
  for (const std::string node :
       {"Cast(x) to=f16", "Transpose(square)", "Reshape(x, shape)", "Slice(x, first, last, axes, back)", "Pad(x, pads)",
        "Mul(x, one)", "Mul(x, two)", "Sub(two, x)", "Div(two, x)", "Concat(x, x) axis=0"})
    EXPECT_EQ(hits(remove_identities, parse(constants + ("y = " + node + "\nOutput(y)"))), 0) << node;
}

TEST(RemoveIdentities, KeepsADropoutWhoseMaskIsRead) {
  EXPECT_EQ(hits(remove_identities, parse("x = Input() f32[4]\ny, mask = Dropout(x)\nOutput(y, mask)")), 0);
}

TEST(MergeSame, ComputesEqualNodesOnce) {
  const Graph before = parse(R"(
    k = Constant() f32[2] {1, 2}
    l = Constant() f32[2] {1, 2}
    x = Input() f32[2]
    a = Add(x, k)
    b = Add(x, l)
    c = Relu(a)
    d = Relu(b)
    y = Sub(c, d)
    Output(y))");
  const Graph after = apply(merge_same, before);
  EXPECT_EQ(op_names(after), "Input Add Relu Sub Output");
  expect_same_results(before, after, {});
}

TEST(MergeSame, TellsAttributesInputsAndConstantsApart) {
  EXPECT_EQ(hits(merge_same, parse(R"(
    k = Constant() f32[2] {1, 2}
    l = Constant() f32[2,1] {1, 2}
    m = Constant() i64[1] {1}
    x = Input() f32[2]
    z = Input() f32[2]
    a = LeakyRelu(x) alpha=0.1
    b = LeakyRelu(x) alpha=0.2
    c = Relu(x)
    d = Relu(z)
    e = Sub(x, z)
    f = Sub(z, x)
    Output(a, b, c, d, e, f, k, l, m))")),
            0);
}

TEST(MergeSame, KeepsTwoCountsOfTheSameDataApart) {
  const Graph before = parse("x = Input() f32[4]\na = NonZero(x)\nb = NonZero(x)\nOutput(a, b)");
  EXPECT_EQ(hits(merge_same, before), 0);
}

// Merged, the Gather would run where neither branch is taken; in two branches within one it may be merged.
TEST(MergeSame, KeepsWhatDifferentBranchesNeedApart) {
  const std::string_view head = R"(
    x = Input() f32[4]
    k = Constant() i64[] {0}
    a = Input() bool[]
    b = Input() bool[]
    p = Gather(x, k)
    q = Gather(x, k)
    n = Neg(p)
    m = Sqrt(q)
    )";
  EXPECT_EQ(hits(merge_same, parse(std::string(head) + R"(
    y = memline.Select(a, n, k2:f32[])
    z = memline.Select(b, m, k2)
    Output(y, z))")),
            0);
  EXPECT_EQ(hits(merge_same, parse(std::string(head) + R"(
    s = Add(n, m)
    y = memline.Select(a, s, k2:f32[])
    Output(y, b))")),
            1);
}

}  // namespace
}  // namespace memline

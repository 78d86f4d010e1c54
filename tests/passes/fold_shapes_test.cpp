#include <gtest/gtest.h>

#include "passes/pass.h"
#include "support/graph_check.h"

namespace memline::passes {
namespace {

Graph folded(const Graph& before) { return test::apply(remove_dead_nodes, test::apply(fold_shapes, before)); }

TEST(FoldShapes, WritesWhatShapeArithmeticKnowsFromTheSlots) {
  const Graph before = test::parse(R"(
    slot h min=2 opt=6 max=9
    x = Input() f32[1,3,h,h]
    two = Constant() i64[1] {2}
    one = Constant() i64[1] {1}
    s = Shape(x)
    g = Gather(s, two) axis=0
    half = Div(g, two)
    size = Mul(half, two)
    to = Add(size, one)
    f = Cast(to) to=f32
    y = Mul(x, f)
    Output(y))");
  const Graph after = folded(before);
  EXPECT_EQ(test::op_names(after), "Input Extents Cast Mul Output");
  EXPECT_EQ((*after.value(after.node(0).outputs[0]).integers)[0].text(), "floordiv(s0, 2)*2+1");
  test::expect_same_results(before, after, {});
}

TEST(FoldShapes, ComesBehindTheNodeThatFindsACount) {
  const Graph before = test::parse(R"(
    x = Input() f32[4,5]
    at = NonZero(x)
    s = Shape(at)
    f = Cast(s) to=f32
    Output(f))");
  const Graph after = folded(before);
  EXPECT_EQ(test::op_names(after), "Input NonZero Extents Cast Output");
  test::expect_same_results(before, after, {});
}

TEST(FoldShapes, LeavesDataAlone) {
  const Graph before = test::parse(R"(
    x = Input() i64[3]
    one = Constant() i64[1] {1}
    y = Add(x, one)
    Output(y))");
  EXPECT_EQ(test::hits(fold_shapes, before), 0);
}

// The activation had two readers, and could not be fused.
TEST(FoldShapes, TakesTheReaderAwayThatOnlyAskedForTheShape) {
  const Graph before = test::parse(R"(
    slot h min=2 opt=6 max=9
    x = Input() f32[1,3,h,8]
    c = Conv(x, w:f32[4,3,1,1])
    s = Shape(c)
    r = Relu(c)
    y = Resize(r, _, _, s) mode="nearest"
    Output(y))");
  EXPECT_EQ(test::op_names(folded(before)), "Input Conv Relu Extents Resize Output");
}

}  // namespace
}  // namespace memline::passes

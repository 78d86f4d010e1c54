#include <gtest/gtest.h>

#include "passes/pass.h"
#include "support/graph_check.h"

namespace memline {
namespace {

using passes::fuse_matmul_bias;
using test::apply;
using test::expect_same_results;
using test::hits;
using test::op_names;
using test::parse;

Graph behind_matmul(const std::string& rest) {
  return parse("x = Input() f32[2,5,7]\np = MatMul(x, w:f32[7,5])\n" + rest);
}

TEST(FuseMatmulBias, TakesAConstantOfTheLastAxis) {
  for (const std::string add : {"Add(p, b:f32[5])", "Add(b:f32[1,1,5], p)", "Add(p, b:f32[])"}) {
    const Graph before = behind_matmul("y = " + add + "\nOutput(y)"), after = apply(fuse_matmul_bias, before);
    EXPECT_EQ(op_names(after), "Input MatMul|bias Output") << add;
    expect_same_results(before, after, {.relative = 1e-5f});
  }
}

TEST(FuseMatmulBias, LeavesOtherAxesOutputsAndSecondReadersAlone) {
  EXPECT_EQ(hits(fuse_matmul_bias, behind_matmul("y = Add(p, b:f32[5,1])\nOutput(y)")), 0);
  EXPECT_EQ(hits(fuse_matmul_bias, behind_matmul("y = Add(p, b:f32[5,5])\nOutput(y)")), 0);
  EXPECT_EQ(hits(fuse_matmul_bias, behind_matmul("y = Add(p, b:f32[5])\nOutput(y, p)")), 0);
  EXPECT_EQ(hits(fuse_matmul_bias, behind_matmul("y = Add(p, b:f32[5])\nz = Relu(p)\nOutput(y, z)")), 0);
}

}  // namespace
}  // namespace memline

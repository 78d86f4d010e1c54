#include <gtest/gtest.h>

#include "passes/pass.h"
#include "support/graph_check.h"

namespace memline {
namespace {

using passes::fuse_conv_affine;
using test::apply;
using test::expect_same_results;
using test::hits;
using test::op_names;
using test::parse;

Graph behind_conv(const std::string& node) {
  return parse("x = Input() f32[1,3,4,4]\nc = Conv(x, w:f32[4,3,1,1])\ny = " + node + "\nOutput(y)");
}

TEST(FuseConvAffine, FoldsNumbersOfEachChannel) {
  for (const std::string node :
       {"Mul(c, k:f32[1,4,1,1])", "Mul(k:f32[4,1,1], c)", "Add(c, k:f32[4,1,1])", "Sub(c, k:f32[1,4,1,1])",
        "Sub(k:f32[1,4,1,1], c)", "Div(c, var:f32[4,1,1])", "Mul(c, k:f32[])", "Add(c, k:f32[1])"}) {
    const Graph before = behind_conv(node), after = apply(fuse_conv_affine, before);
    EXPECT_EQ(op_names(after), "Input Conv Output") << node;
    expect_same_results(before, after, {.relative = 1e-5f});
  }
}

TEST(FuseConvAffine, LeavesConstantsOfOtherAxesAlone) {
  for (const std::string node :
       {"Add(c, k:f32[4])", "Mul(c, k:f32[4,1])", "Add(c, k:f32[1,4,4,4])", "Div(k:f32[4,1,1], c)"})
    EXPECT_EQ(hits(fuse_conv_affine, behind_conv(node)), 0) << node;
}

TEST(FuseConvAffine, LeavesASumThatMakesTheTensorLargerAlone) {
  EXPECT_EQ(hits(fuse_conv_affine, parse(R"(
    x = Input() f32[1,3,1,1]
    c = Conv(x, w:f32[1,3,1,1])
    y = Add(c, k:f32[4,1,1])
    Output(y))")),
            0);
}

TEST(FuseConvAffine, LeavesTwoReadersAndOutputsAlone) {
  EXPECT_EQ(hits(fuse_conv_affine, parse(R"(
    x = Input() f32[1,3,4,4]
    c = Conv(x, w:f32[4,3,1,1])
    y = Mul(c, k:f32[4,1,1])
    Output(c, y))")),
            0);
  EXPECT_EQ(hits(fuse_conv_affine, parse(R"(
    x = Input() f32[1,3,4,4]
    c = Conv(x, w:f32[4,3,1,1])
    y = Mul(c, k:f32[4,1,1])
    z = Relu(c)
    Output(y, z))")),
            0);
}

}  // namespace
}  // namespace memline

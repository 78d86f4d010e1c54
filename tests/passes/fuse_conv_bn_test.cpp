#include <gtest/gtest.h>

#include "passes/pass.h"
#include "support/graph_check.h"

namespace memline {
namespace {

using passes::fuse_conv_bn;
using test::apply;
using test::expect_same_results;
using test::hits;
using test::op_names;
using test::parse;

TEST(FuseConvBn, FoldsScaleAndShiftIntoTheConvolution) {
  const Graph before = parse(R"(
    x = Input() f32[1,3,8,8]
    c = Conv(x, w:f32[16,3,3,3]) pads=[1,1,1,1]
    y = BatchNormalization(c, scale:f32[16], shift:f32[16], mean:f32[16], var:f32[16]) epsilon=0.001
    Output(y))");
  const Graph after = apply(fuse_conv_bn, before);
  EXPECT_EQ(op_names(after), "Input Conv Output");
  expect_same_results(before, after, {.relative = 1e-5f});
}

TEST(FuseConvBn, FoldsIntoABiasThatIsThere) {
  const Graph before = parse(R"(
    x = Input() f32[2,4,5,5]
    c = Conv(x, w:f32[6,2,3,3], b:f32[6]) group=2
    y = BatchNormalization(c, scale:f32[6], shift:f32[6], mean:f32[6], var:f32[6])
    Output(y))");
  const Graph after = apply(fuse_conv_bn, before);
  EXPECT_EQ(op_names(after), "Input Conv Output");
  expect_same_results(before, after, {.relative = 1e-5f});
}

TEST(FuseConvBn, FindsTheChannelsOfAGroupedTransposedConvolution) {
  const Graph before = parse(R"(
    x = Input() f32[1,4,5,5]
    c = ConvTranspose(x, w:f32[4,3,2,2], b:f32[6]) group=2, strides=[2,2]
    y = BatchNormalization(c, scale:f32[6], shift:f32[6], mean:f32[6], var:f32[6])
    Output(y))");
  const Graph after = apply(fuse_conv_bn, before);
  EXPECT_EQ(op_names(after), "Input ConvTranspose Output");
  expect_same_results(before, after, {.relative = 1e-5f});
}

TEST(FuseConvBn, FoldsIntoGemmWithEitherOrderOfTheWeights) {
  for (const std::string gemm :
       {"Gemm(x, w:f32[7,5], b:f32[5])", "Gemm(x, w:f32[5,7], b:f32[5]) transB=true", "Gemm(x, w:f32[7,5])"}) {
    const Graph before =
        parse("x = Input() f32[3,7]\nc = " + gemm +
              "\ny = BatchNormalization(c, scale:f32[5], shift:f32[5], mean:f32[5], var:f32[5])\nOutput(y)");
    const Graph after = apply(fuse_conv_bn, before);
    EXPECT_EQ(op_names(after), "Input Gemm Output") << gemm;
    expect_same_results(before, after, {.relative = 1e-5f});
  }
}

TEST(FuseConvBn, GivesEachOfTwoConvolutionsItsOwnWeights) {
  const Graph before = parse(R"(
    x = Input() f32[1,3,4,4]
    w = Constant() f32[4,3,1,1]
    c = Conv(x, w)
    d = Conv(x, w)
    y = BatchNormalization(c, scale:f32[4], shift:f32[4], mean:f32[4], var:f32[4])
    Output(y, d))");
  const Graph after = apply(fuse_conv_bn, before);
  EXPECT_EQ(op_names(after), "Input Conv Conv Output Output");
  expect_same_results(before, after, {.relative = 1e-5f});
}

TEST(FuseConvBn, LeavesAConvolutionWithTwoReadersAlone) {
  EXPECT_EQ(hits(fuse_conv_bn, parse(R"(
    x = Input() f32[1,3,4,4]
    c = Conv(x, w:f32[4,3,1,1])
    y = BatchNormalization(c, scale:f32[4], shift:f32[4], mean:f32[4], var:f32[4])
    z = Relu(c)
    Output(y, z))")),
            0);
}

TEST(FuseConvBn, LeavesAConvolutionThatIsAnOutputAlone) {
  EXPECT_EQ(hits(fuse_conv_bn, parse(R"(
    x = Input() f32[1,3,4,4]
    c = Conv(x, w:f32[4,3,1,1])
    y = BatchNormalization(c, scale:f32[4], shift:f32[4], mean:f32[4], var:f32[4])
    Output(y, c))")),
            0);
}

TEST(FuseConvBn, LeavesWeightsThatAreComputedAlone) {
  EXPECT_EQ(hits(fuse_conv_bn, parse(R"(
    x = Input() f32[1,3,4,4]
    w = Input() f32[4,3,1,1]
    c = Conv(x, w)
    y = BatchNormalization(c, scale:f32[4], shift:f32[4], mean:f32[4], var:f32[4])
    Output(y))")),
            0);
}

}  // namespace
}  // namespace memline

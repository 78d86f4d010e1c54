#include <gtest/gtest.h>

#include "passes/pass.h"
#include "support/graph_check.h"

namespace memline {
namespace {

using passes::fuse_pad_conv;
using test::apply;
using test::expect_same_results;
using test::hits;
using test::op_names;
using test::parse;

std::string pad_conv(const std::string& pads, const std::string& rest = "") {
  return "pads = Constant() i64[8] {" + pads + "}\nx = Input() f32[1,3,6,6]\np = Pad(x, pads)" + rest +
         "\ny = Conv(p, w:f32[4,3,3,3]) pads=[0,1,0,1]\n";
}

TEST(FusePadConv, AddsThePadsToTheConvolutionsOwn) {
  const Graph before = parse(pad_conv("0,0,1,2,0,0,3,0") + "Output(y)"), after = apply(fuse_pad_conv, before);
  EXPECT_EQ(op_names(after), "Input Conv Output");
  expect_same_results(before, after, {.relative = 1e-5f});
}

TEST(FusePadConv, LeavesOtherModesValuesAxesAndCutsAlone) {
  EXPECT_EQ(hits(fuse_pad_conv, parse(pad_conv("0,0,1,2,0,0,3,0", " mode=\"reflect\"") + "Output(y)")), 0);
  EXPECT_EQ(hits(fuse_pad_conv, parse(pad_conv("1,0,1,1,0,0,1,1") + "Output(y)")), 0);
  EXPECT_EQ(hits(fuse_pad_conv, parse(pad_conv("0,0,-1,0,0,0,0,0") + "Output(y)")), 0);
  EXPECT_EQ(hits(fuse_pad_conv, parse(R"(
    pads = Constant() i64[8] {0,0,1,1,0,0,1,1}
    one = Constant() f32[] {1}
    x = Input() f32[1,3,6,6]
    p = Pad(x, pads, one)
    y = Conv(p, w:f32[4,3,3,3])
    Output(y))")),
            0);
}

TEST(FusePadConv, LeavesAPadThatIsReadElsewhereAlone) {
  EXPECT_EQ(hits(fuse_pad_conv, parse(pad_conv("0,0,1,1,0,0,1,1") + "z = Relu(p)\nOutput(y, z)")), 0);
  EXPECT_EQ(hits(fuse_pad_conv, parse(pad_conv("0,0,1,1,0,0,1,1") + "Output(y, p)")), 0);
}

}  // namespace
}  // namespace memline

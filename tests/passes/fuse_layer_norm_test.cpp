#include <gtest/gtest.h>

#include "passes/pass.h"
#include "support/graph_check.h"

namespace memline {
namespace {

using passes::fuse_layer_norm;
using test::apply;
using test::expect_same_results;
using test::hits;
using test::op_names;
using test::parse;

std::string norm(const std::string& square, const std::string& tail, const std::string& axis = "-1") {
  return "axes = Constant() i64[1] {" + axis + R"(}
    two = Constant() f32[] {2}
    eps = Constant() f32[] {1e-5}
    x = Input() f32[2,5,16]
    m = ReduceMean(x, axes)
    d = Sub(x, m)
    q = )" +
         square + R"(
    v = ReduceMean(q, axes)
    e = Add(v, eps)
    r = Sqrt(e)
    n = Div(d, r)
    )" + tail;
}

TEST(FuseLayerNorm, FindsItWithAndWithoutAShift) {
  for (const std::string square : {"Pow(d, two)", "Mul(d, d)"})
    for (const std::string tail :
         {"s = Mul(n, scale:f32[16])\ny = Add(s, shift:f32[16])\nOutput(y)", "y = Mul(scale:f32[16], n)\nOutput(y)"}) {
      const Graph before = parse(norm(square, tail)), after = apply(fuse_layer_norm, before);
      EXPECT_EQ(op_names(after), "Input LayerNormalization Output") << square << tail;
      expect_same_results(before, after, {.relative = 1e-5f});
    }
}

TEST(FuseLayerNorm, LeavesOtherAxesAndValuesReadElsewhereAlone) {
  const std::string tail = "s = Mul(n, scale:f32[16])\ny = Add(s, shift:f32[16])\n";
  EXPECT_EQ(hits(fuse_layer_norm, parse(norm("Pow(d, two)", tail + "Output(y)", "1"))), 0);
  EXPECT_EQ(hits(fuse_layer_norm, parse(norm("Pow(d, two)", tail + "Output(y, d)"))), 0);
  EXPECT_EQ(hits(fuse_layer_norm, parse(norm("Pow(d, two)", tail + "z = Relu(d)\nOutput(y, z)"))), 0);
  EXPECT_EQ(hits(fuse_layer_norm, parse(norm("Pow(d, eps)", tail + "Output(y)"))), 0);
  EXPECT_EQ(hits(fuse_layer_norm, parse(norm("Pow(d, two)", "y = Mul(n, scale:f32[5,16])\nOutput(y)"))), 0);
}

}  // namespace
}  // namespace memline

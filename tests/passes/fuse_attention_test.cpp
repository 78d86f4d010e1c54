#include <gtest/gtest.h>

#include "passes/pass.h"
#include "support/graph_check.h"

namespace memline {
namespace {

using passes::fuse_attention;
using test::apply;
using test::expect_same_results;
using test::hits;
using test::op_names;
using test::parse;

std::string attention(const std::string& scores, const std::string& tail = "y = MatMul(p, v)\nOutput(y)",
                      const std::string& axis = "-1") {
  return R"(
    half = Constant() f32[] {0.5}
    q = Input() f32[2,3,5,8]
    k = Input() f32[2,3,8,7]
    v = Input() f32[2,3,7,4]
    )" + scores +
         "\np = Softmax(s) axis=" + axis + "\n" + tail;
}

TEST(FuseAttention, FindsTheScaleWhereverItStands) {
  for (const std::string scores :
       {"s = MatMul(q, k)", "r = MatMul(q, k)\ns = Mul(r, half)", "r = MatMul(q, k)\ns = Div(r, half)",
        "a = Mul(q, half)\nb = Mul(half, k)\ns = MatMul(a, b)",
        "a = Mul(half, q)\nr = MatMul(a, k)\ns = Div(r, half)"}) {
    const Graph before = parse(attention(scores)), after = apply(fuse_attention, before);
    EXPECT_EQ(op_names(after), "Input Input Input Attention Output") << scores;
    expect_same_results(before, after, {.relative = 1e-5f});
  }
}

TEST(FuseAttention, LeavesWhatOthersReadAndOtherPatternsAlone) {
  for (const std::string& text : {attention("s = MatMul(q, k)", "y = MatMul(p, v)\nOutput(y, p)"),
                                  attention("s = MatMul(q, k)", "y = MatMul(p, v)\nOutput(y, s)"),
                                  attention("s = MatMul(q, k)", "y = MatMul(p, v)\nOutput(y)", "2"),
                                  attention("r = MatMul(q, k)\ns = Add(r, m:f32[1,1,5,7])"),     // a mask
                                  attention("r = MatMul(q, k)\ns = Div(half, r)"),               // not a scale
                                  attention("r = MatMul(q, k)\ns = Mul(r, m:f32[1,3,1,1])")}) {  // a scale a head
    EXPECT_EQ(hits(fuse_attention, parse(text)), 0) << text;
  }
}

TEST(FuseAttention, KeepsAScaledOperandThatIsReadElsewhere) {
  const Graph before = parse(attention("a = Mul(q, half)\ns = MatMul(a, k)", "y = MatMul(p, v)\nOutput(y, a)"));
  const Graph after = apply(fuse_attention, before);
  EXPECT_EQ(op_names(after), "Input Input Input Mul Attention Output Output");
  expect_same_results(before, after, {.relative = 1e-5f});
}

TEST(FuseAttention, StacksThatBroadcastStayAsTheyAre) {
  EXPECT_EQ(hits(fuse_attention, parse(R"(
    q = Input() f32[2,3,5,8]
    k = Input() f32[3,8,7]
    v = Input() f32[2,3,7,4]
    s = MatMul(q, k)
    p = Softmax(s)
    y = MatMul(p, v)
    Output(y))")),
            0);
}

}  // namespace
}  // namespace memline

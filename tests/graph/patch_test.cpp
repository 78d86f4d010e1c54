#include "graph/patch.h"

#include <gmock/gmock.h>

#include "graph/text.h"
#include "graph/verify.h"
#include "ops/registry.h"
#include "support/graph_check.h"

namespace memline {
namespace {

using test::op_names;
using test::parse;
using testing::HasSubstr;

Graph chain() {
  return parse(R"(
    x = Input() f32[2,3]
    a = Relu(x)
    b = Sigmoid(a)
    c = Tanh(b)
    Output(c))");
}

ValueId output_of(const Graph& graph, NodeId node) { return graph.node(node).outputs[0]; }

TEST(Patch, FollowsChainsOfRedirects) {
  const Graph graph = chain();
  Patch patch(graph);
  patch.redirect(output_of(graph, 1), output_of(graph, 0));
  patch.redirect(output_of(graph, 0), graph.inputs()[0]);
  patch.drop(0);
  patch.drop(1);
  const auto after = apply(graph, patch);
  ASSERT_TRUE(after.has_value()) << after.error().message;
  EXPECT_EQ(op_names(*after), "Input Tanh Output");
}

TEST(Patch, PutsNewNodesBeforeTheirReaders) {
  const Graph graph = chain();
  Patch patch(graph);
  const auto added =
      patch.add_node({.name = "n", .op = ops::find("Neg"), .inputs = {output_of(graph, 0)}, .output_names = {"n"}});
  patch.redirect(output_of(graph, 1), added[0]);
  patch.drop(1);
  const auto after = apply(graph, patch);
  ASSERT_TRUE(after.has_value()) << after.error().message;
  EXPECT_EQ(op_names(*after), "Input Relu Neg Tanh Output");
}

TEST(Patch, KeepsTheNamesOfOutputs) {
  const Graph graph = chain();
  Patch patch(graph);
  patch.redirect(output_of(graph, 2), graph.inputs()[0]);
  for (const NodeId node : {0, 1, 2}) patch.drop(node);
  const auto after = apply(graph, patch);
  ASSERT_TRUE(after.has_value()) << after.error().message;
  EXPECT_EQ(after->output_names(), std::vector<std::string>{"c"});
  EXPECT_EQ(after->outputs()[0], after->inputs()[0]);
}

TEST(Patch, RefusesToLeaveAReaderWithoutItsInput) {
  const Graph graph = chain();
  Patch patch(graph);
  patch.drop(0);
  const auto after = apply(graph, patch);
  ASSERT_FALSE(after.has_value());
  EXPECT_EQ(after.error().code, Code::internal);
  EXPECT_THAT(after.error().message, HasSubstr("Sigmoid 'b'"));
}

TEST(Patch, RefusesCyclesAndCircles) {
  const Graph graph = chain();
  Patch cycle(graph);
  cycle.redirect(graph.inputs()[0], output_of(graph, 1));
  EXPECT_THAT(apply(graph, cycle).error().message, HasSubstr("cycle"));
  Patch circle(graph);
  circle.redirect(output_of(graph, 0), output_of(graph, 1));
  circle.redirect(output_of(graph, 1), output_of(graph, 0));
  EXPECT_THAT(apply(graph, circle).error().message, HasSubstr("circle"));
}

TEST(Patch, RefusesToChangeTheTypeOfAnOutput) {
  const Graph graph = parse(R"(
    x = Input() f32[2,3]
    y = Transpose(x) perm=[1,0]
    Output(y))");
  Patch patch(graph);
  patch.redirect(output_of(graph, 0), graph.inputs()[0]);
  patch.drop(0);
  EXPECT_THAT(apply(graph, patch).error().message, HasSubstr("output 'y' from f32[3,2] into f32[2,3]"));
}

TEST(Patch, KeepsTheCountsOfNodesThatItDoesNotTouch) {
  const Graph graph = parse(R"(
    x = Input() f32[4,5]
    a = Relu(x)
    n = NonZero(a)
    Output(n))");
  Patch patch(graph);
  patch.redirect(output_of(graph, 0), graph.inputs()[0]);
  patch.drop(0);
  const auto after = apply(graph, patch);
  ASSERT_TRUE(after.has_value()) << after.error().message;
  EXPECT_EQ(after->slots().size(), 1u);
}

// A patch costs what the graph costs, not its square: 20,000 nodes in a row, removed in one patch of 20,000 redirects.
TEST(Patch, TakesLongChainsInOneGo) {
  std::string text = "v0 = Input() f32[2]\n";
  constexpr int kNodes = 20000;
  for (int i = 0; i < kNodes; ++i) text += "v" + std::to_string(i + 1) + " = Relu(v" + std::to_string(i) + ")\n";
  const Graph graph = parse(text + "Output(v" + std::to_string(kNodes) + ")");
  Patch patch(graph);
  for (NodeId node = 0; node < kNodes; ++node) {
    patch.redirect(output_of(graph, node), graph.node(node).inputs[0]);
    patch.drop(node);
  }
  const auto after = apply(graph, patch);
  ASSERT_TRUE(after.has_value()) << after.error().message;
  EXPECT_EQ(after->nodes().size(), 0u);
}

}  // namespace
}  // namespace memline

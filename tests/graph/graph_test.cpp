#include "graph/graph.h"

#include <gmock/gmock.h>

#include "graph/evaluate.h"
#include "graph/seeded.h"
#include "graph/text.h"
#include "support/graph_check.h"
#include "tensor/half.h"

namespace memline {
namespace {

using test::parse;
using testing::HasSubstr;

TEST(Graph, KnowsReadersProducersAndOutputs) {
  const Graph graph = parse(R"(
    x = Input() f32[2]
    a = Relu(x)
    b = Mul(a, a)
    c = Tanh(b)
    Output(b, c))");
  const ValueId a = graph.node(0).outputs[0], b = graph.node(1).outputs[0];
  EXPECT_EQ(graph.readers(a).size(), 2u);
  EXPECT_EQ(graph.only_reader(a), kNoNode);  // read twice by one node
  EXPECT_EQ(graph.only_reader(b), kNoNode);  // an output of the graph
  EXPECT_EQ(graph.only_reader(graph.inputs()[0]), 0);
  EXPECT_EQ(graph.producer(b), 1);
  EXPECT_EQ(graph.producer(graph.inputs()[0]), kNoNode);
}

TEST(Graph, RefusesEpiloguesThatDoNotFit) {
  const auto fails = [](std::string_view call) {
    const auto graph = parse_graph(
        "x = Input() f32[1,3,8,8]\ny = Input() f32[1,4,8,9]\nz = Input() f32[1,4,1,1]\n"
        "c = Conv(x, w:f32[4,3,1,1], " +
        std::string(call) + "\nOutput(c)");
    return graph ? "" : graph.error().message;
  };
  EXPECT_EQ(fails("_, z) | mul(3)"), "");
  EXPECT_THAT(fails("_, y) | add(3)"), HasSubstr("does not broadcast"));
  EXPECT_THAT(fails("_, z) | add(3) mul(9)"), HasSubstr("not there"));
  EXPECT_THAT(fails("_, z) | bias(3)"), HasSubstr("Conv 'c'"));
}

TEST(Graph, RefusesWhatNoShapeOfTheRangeMeets) {
  const auto graph = parse_graph(R"(
    slot h min=8 opt=8 max=9
    slot w min=16 opt=16 max=20
    x = Input() f32[h]
    y = Input() f32[w]
    z = MatMul(x, y)
    Output(z))");
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().code, Code::invalid_model);
}

TEST(Graph, KeepsAConditionOnceThatSomeShapesMeet) {
  const Graph graph = parse(R"(
    slot h min=8 opt=8 max=16
    slot w min=8 opt=8 max=20
    x = Input() f32[h]
    y = Input() f32[w]
    a = MatMul(x, y)
    b = MatMul(x, y)
    Output(a, b))");
  ASSERT_EQ(graph.conditions().size(), 1u);
  EXPECT_THAT(graph.conditions()[0].demanded_by, HasSubstr("MatMul 'a'"));
  const Constant x = seeded_constant(DType::f32, std::vector<int64_t>{8}, "x"),
                 y = seeded_constant(DType::f32, std::vector<int64_t>{9}, "y");
  EXPECT_TRUE(evaluate(graph, std::vector{x.view, x.view}).has_value());
  EXPECT_FALSE(evaluate(graph, std::vector{x.view, y.view}).has_value());
}

TEST(Evaluate, GivesCountsTheirTrueSize) {
  const Graph graph = parse(R"(
    x = Input() f32[2,3]
    n = NonZero(x)
    t = Transpose(n) perm=[1,0]
    Output(t))");
  const std::vector<float> values{0, 1, 0, 2, 0, 3};
  const Constant x = make_constant(DType::f32, std::vector<int64_t>{2, 3}, std::as_bytes(std::span(values)));
  const auto outputs = evaluate(graph, std::vector{x.view});
  ASSERT_TRUE(outputs.has_value()) << outputs.error().message;
  const Constant dense = densify((*outputs)[0].view);
  ASSERT_EQ(dense.view.dim(0), 3);
  EXPECT_EQ(std::vector<int64_t>(dense.view.as<int64_t>(), dense.view.as<int64_t>() + 6),
            (std::vector<int64_t>{0, 1, 1, 0, 1, 2}));
}

TEST(Evaluate, RefusesWhatIsLargerThanItMayBe) {
  const Graph graph = parse("x = Input() f32[1]\ns = Constant() i64[3] {2, 2, 2}\ny = Expand(x, s)\nOutput(y)");
  const Constant x = seeded_constant(DType::f32, std::vector<int64_t>{1}, "x");
  EXPECT_EQ(evaluate(graph, std::vector{x.view}, {.max_live_bytes = 3}).error().code, Code::over_budget);
}

TEST(Evaluate, RoundsOnceBehindEpilogues) {
  const Graph graph = parse(R"(
    x = Input() f16[64]
    y = Mul(x, x) | affine(3,1) affine(0.1,0)
    Output(y))");
  const Constant x = seeded_constant(DType::f16, std::vector<int64_t>{64}, "x");
  const auto outputs = evaluate(graph, std::vector{x.view});
  ASSERT_TRUE(outputs.has_value()) << outputs.error().message;
  for (int64_t i = 0; i < 64; ++i) {
    const float v = f16_to_f32(x.view.as<uint16_t>()[i]);
    EXPECT_EQ((*outputs)[0].view.as<uint16_t>()[i], f32_to_f16((v * v * 3 + 1) * 0.1f));
  }
}

}  // namespace
}  // namespace memline

#include "graph/text.h"

#include <gmock/gmock.h>

#include "support/graph_check.h"

namespace memline {
namespace {

using test::op_names;
using test::parse;
using testing::HasSubstr;

constexpr std::string_view kSmall = R"(
    slot h min=8 opt=16 max=32
    x = Input() f32[1,3,8,h]
    k = Constant() i64[2] {2, 3}
    c = Conv "layer 1"(x, w:f32[4,3,3,3], b:f32[4]) pads=[1,1,1,1] | relu   # a comment
    y = Add(c, c)
    Output(y, first=c))";

TEST(GraphText, PrintsWhatItParsed) {
  const Graph graph = parse(kSmall);
  const std::string once = print(graph);
  EXPECT_EQ(print(parse(once)), once);
  EXPECT_THAT(once, HasSubstr("slot h min=8 opt=16 max=32"));
  EXPECT_THAT(once, HasSubstr("x = Input() f32[1,3,8,h]"));
  EXPECT_THAT(once, HasSubstr("Conv \"layer 1\"(x, w, b) pads=[1,1,1,1] | relu -> f32[1,4,8,h]"));
  EXPECT_THAT(once, HasSubstr("Output(y, first=c)"));
}

TEST(GraphText, GivesCountsOfDataTheirSlotsAgain) {
  const Graph graph = parse(R"(
    x = Input() f32[4,5]
    n = NonZero(x)
    t = Transpose(n) perm=[1,0]
    Output(t))");
  ASSERT_EQ(graph.slots().size(), 1u);
  EXPECT_EQ(graph.slots()[0].range, (Interval{0, 20}));
  const std::string once = print(graph);
  EXPECT_EQ(print(parse(once)), once);
}

TEST(GraphText, QuotesNamesThatAreNoWords) {
  const Graph graph = parse(R"(
    "a/b \"c\"" = Input() f32[2]
    y = Relu("a/b \"c\"")
    Output("z:0"=y))");
  EXPECT_EQ(graph.value(graph.inputs()[0]).name, "a/b \"c\"");
  EXPECT_EQ(graph.output_names()[0], "z:0");
  const std::string once = print(graph);
  EXPECT_EQ(print(parse(once)), once);
}

TEST(GraphText, NamesTheLineOfAMistake) {
  const auto missing = parse_graph("x = Input() f32[2]\ny = Relu(z)\nOutput(y)");
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().message, HasSubstr("line 2: 'z' is not defined"));
  const auto wrong_type = parse_graph("x = Input() f32[2]\ny = Relu(x) -> f32[3]\nOutput(y)");
  ASSERT_FALSE(wrong_type.has_value());
  EXPECT_THAT(wrong_type.error().message, HasSubstr("'y' is written as f32[3] but is f32[2]"));
  const auto twice = parse_graph("x = Input() f32[2]\nx = Relu(x)\nOutput(x)");
  ASSERT_FALSE(twice.has_value());
  EXPECT_THAT(twice.error().message, HasSubstr("defined twice"));
  EXPECT_FALSE(parse_graph("x = Input() f32[s3]\nOutput(x)").has_value());
  EXPECT_FALSE(parse_graph("x = Input() f32[2]").has_value());
  EXPECT_FALSE(parse_graph("x = Input() f32[2]\ny = NoSuchThing(x)\nOutput(y)").has_value());
}

TEST(GraphText, SeedsVariancesAboveZero) {
  const Graph graph = parse("v = Constant() f32[64]\nvariance = Constant() f32[64]\nOutput(v, variance)");
  const auto least = [&](size_t output) {
    const TensorView& view = graph.value(graph.outputs()[output]).constant->view;
    return *std::min_element(view.as<float>(), view.as<float>() + 64);
  };
  EXPECT_LT(least(0), 0);
  EXPECT_GE(least(1), 0.5f);
}

}  // namespace
}  // namespace memline

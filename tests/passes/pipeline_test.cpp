#include "passes/pipeline.h"

#include <gmock/gmock.h>

#include "support/graph_check.h"

namespace memline {
namespace {

using passes::default_pipeline;
using test::expect_same_results;
using test::op_names;
using test::parse;
using testing::HasSubstr;

constexpr std::string_view kBlock = R"(
    x = Input() f32[1,4,8,8]
    c = Conv(x, w:f32[4,4,3,3]) pads=[1,1,1,1]
    n = BatchNormalization(c, scale:f32[4], shift:f32[4], mean:f32[4], var:f32[4])
    s = Sigmoid(n)
    m = Mul(n, s)
    r = Add(x, m)
    i = Identity(r)
    Output(i))";

TEST(Pipeline, MakesOneNodeOfAConvolutionBlock) {
  const Graph before = parse(kBlock);
  Graph after = before;
  const auto results = passes::run(default_pipeline(), after);
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_EQ(op_names(after), "Input Conv|silu|add Output");
  EXPECT_EQ(results->size(), default_pipeline().size());
  expect_same_results(before, after, {.relative = 1e-5f});
}

TEST(Pipeline, SkipsPassesByName) {
  Graph graph = parse(kBlock);
  const auto results = passes::run(default_pipeline(), graph, {.skip = {"fuse_conv_bn"}});
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_THAT(op_names(graph), HasSubstr("BatchNormalization"));
  for (const passes::PassResult& result : *results) EXPECT_EQ(result.skipped, result.name == "fuse_conv_bn");
}

TEST(Pipeline, RefusesToSkipWhatThereIsNot) {
  Graph graph = parse(kBlock);
  const auto results = passes::run(default_pipeline(), graph, {.skip = {"fuse_everything"}});
  ASSERT_FALSE(results.has_value());
  EXPECT_EQ(results.error().code, Code::invalid_argument);
  EXPECT_THAT(results.error().message, HasSubstr("fuse_everything"));
}

// Every pass alone, and all but one: none may need another to be right.
TEST(Pipeline, IsRightWithEachPassSwitchedOff) {
  const Graph before = parse(kBlock);
  for (const passes::Pass& pass : default_pipeline()) {
    Graph without = before;
    ASSERT_TRUE(passes::run(default_pipeline(), without, {.skip = {std::string(pass.name)}}).has_value()) << pass.name;
    expect_same_results(before, without, {.relative = 1e-5f});
  }
}

}  // namespace
}  // namespace memline

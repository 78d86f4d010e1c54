#include "support/graph_check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/seeded.h"
#include "graph/text.h"
#include "ops/reference.h"

namespace memline::test {

Graph parse(std::string_view text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.has_value()) << (graph ? "" : graph.error().message);
  return graph ? *std::move(graph) : Graph();
}

Graph apply(Result<Patch> (*pass)(const Graph&), const Graph& graph) {
  const auto patch = pass(graph);
  EXPECT_TRUE(patch.has_value()) << (patch ? "" : patch.error().message);
  if (!patch) return graph;
  auto after = memline::apply(graph, *patch);
  EXPECT_TRUE(after.has_value()) << (after ? "" : after.error().message);
  return after ? *std::move(after) : graph;
}

int hits(Result<Patch> (*pass)(const Graph&), const Graph& graph) {
  const auto patch = pass(graph);
  EXPECT_TRUE(patch.has_value()) << (patch ? "" : patch.error().message);
  return patch ? patch->hits() : -1;
}

std::string op_names(const Graph& graph) {
  std::string names;
  for (size_t i = 0; i < graph.inputs().size(); ++i) names += "Input ";
  for (const Node& node : graph.nodes()) {
    names += node.op->name;
    for (const ops::Epilogue& epilogue : node.epilogues) names.append("|").append(ops::epilogue_name(epilogue.kind));
    names += " ";
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) names += i == 0 ? "Output" : " Output";
  return names;
}

void expect_near(const TensorView& found, const TensorView& expected, Tolerance tolerance, std::string_view what) {
  ASSERT_EQ(found.dtype, expected.dtype) << what;
  ASSERT_EQ(found.rank, expected.rank) << what;
  for (int axis = 0; axis < found.rank; ++axis)
    ASSERT_EQ(found.dim(axis), expected.dim(axis)) << what << ", axis " << axis;
  int64_t wrong = 0, at = 0;
  ops::walk<2>(found.rank, found.dims, {found.strides, expected.strides}, [&](const auto& offset) {
    const auto a = ops::load<double>(found, offset[0]), b = ops::load<double>(expected, offset[1]);
    const bool same = a == b || (std::isnan(a) && std::isnan(b)) ||
                      std::abs(a - b) <= double{tolerance.absolute} + double{tolerance.relative} * std::abs(b);
    if (!same && wrong++ == 0) ADD_FAILURE() << what << ": element " << at << " is " << a << ", needs " << b;
    ++at;
  });
  EXPECT_EQ(wrong, 0) << what << ": of " << at << " elements";
}

void expect_same_results(const Graph& before, const Graph& after, Tolerance tolerance) {
  ASSERT_EQ(before.output_names(), after.output_names());
  ASSERT_EQ(before.inputs().size(), after.inputs().size());
  const std::vector<int64_t> slots = before.opt_slots();
  std::vector<Constant> inputs;
  std::vector<TensorView> views;
  for (const ValueId input : before.inputs()) {
    const Value& value = before.value(input);
    std::vector<int64_t> dims;
    for (const DimExpr& dim : value.type.dims) dims.push_back(dim.evaluate(slots.data()));
    inputs.push_back(seeded_constant(value.type.dtype, dims, value.name));
    views.push_back(inputs.back().view);
  }
  const auto expected = evaluate(before, views), found = evaluate(after, views);
  ASSERT_TRUE(expected.has_value()) << expected.error().message;
  ASSERT_TRUE(found.has_value()) << found.error().message;
  // Sums that cancel leave only what was rounded away: the tolerance is relative to the largest number too.
  for (size_t i = 0; i < expected->size(); ++i) {
    const TensorView& view = (*expected)[i].view;
    double largest = 0;
    ops::walk<1>(view.rank, view.dims, {view.strides},
                 [&](const auto& at) { largest = std::max(largest, std::abs(ops::load<double>(view, at[0]))); });
    expect_near((*found)[i].view, view,
                {tolerance.relative, tolerance.absolute + tolerance.relative * static_cast<float>(largest)},
                before.output_names()[i]);
  }
}

}  // namespace memline::test

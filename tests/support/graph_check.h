// What tests of passes, tasks and importers do with graphs: write them as text, apply a pass, name the operators, and
// compare what two graphs compute on the references.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/evaluate.h"
#include "graph/graph.h"
#include "graph/patch.h"

namespace memline::test {

// Fails the test and returns an empty graph when the text is wrong.
Graph parse(std::string_view text);

// One round of a pass, and a graph verified behind it.
Graph apply(Result<Patch> (*pass)(const Graph&), const Graph& graph);
int hits(Result<Patch> (*pass)(const Graph&), const Graph& graph);

// "Input Conv Relu Output": inputs, nodes in order, with their epilogues as Conv|relu|add, outputs.
std::string op_names(const Graph& graph);

struct Tolerance {
  float relative = 0, absolute = 0;
};
// Seeded inputs at the opt shape through both graphs; names and shapes of the outputs must be equal too.
void expect_same_results(const Graph& before, const Graph& after, Tolerance tolerance);

void expect_near(const TensorView& found, const TensorView& expected, Tolerance tolerance, std::string_view what);

}  // namespace memline::test

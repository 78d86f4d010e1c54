// The text form of a Graph, one statement a line; print and parse are inverses for graphs without large constants.
//
//   slot h min=32 opt=640 max=1024
//   x = Input() f32[1,3,8,h]
//   w = Constant() f32[16,3,3,3]                # values from a fixed seed of the name when none are given
//   k = Constant() i64[2] {2, 3}
//   c = Conv(x, w, b:f32[16]) pads=[1,1,1,1], strides=[2,2] | bias(3) silu   # b:f32[16]: a seeded constant in place
//   p, i = TopK(c, k) axis=1
//   Output(c, p)
//
// Types of nodes are inferred; types written behind `->` are checked. An absent input is `_`. Comments run from # to
// the line's end.
//   * Names that are no plain words are quoted: "/model.0/conv". A node's name is its first output's, unless one stands
//     in quotes before its arguments: Conv "layer1"(x, w). An op outside ONNX's domain is written domain.Op.
//     Output(scores=p) gives p's name to the user.
//   * A slot whose name is quoted is written s<index> in dims. Counts of data (NonZero) get their slots from the nodes.
//   * Seeded floats lie in [-1, 1), in [0.5, 1.5) when the name begins with "var"; seeded integers in [0, 8).
//   * Bodies of If, Loop and Scan are printed for people and cannot be parsed.
#pragma once

#include <string>
#include <string_view>

#include "graph/graph.h"

namespace memline {

std::string print(const Graph& graph);  // small constants (<= 16 elements) with their values, others by type
Result<Graph> parse_graph(std::string_view text);

}  // namespace memline

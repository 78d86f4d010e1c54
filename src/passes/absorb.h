// A node takes what follows it as epilogues: one reader after the other, as long as each is the only one, keeps the
// type, and is something that an epilogue can say. Shared by fuse_epilogues and fuse_elementwise, which differ in the
// nodes they begin with.
#pragma once

#include "passes/match.h"
#include "passes/pass.h"

namespace memline::passes {

// Whether a node with that operator may leave this `Add` of `tail` and `other` to the one that makes `other`.
using LeavesAdd = bool (*)(const Graph& graph, NodeId base, ValueId other);

// Grows an epilogue list on each node that `is_base` names.
Result<Patch> absorb_readers(const Graph& graph, bool (*is_base)(const Node&), LeavesAdd leaves_add);

// Unary operators that are an epilogue without operands; nullopt for any other node.
std::optional<ops::Epilogue> activation_of(const Graph& graph, const Node& node);

}  // namespace memline::passes

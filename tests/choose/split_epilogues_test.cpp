// Which epilogue lists can be cut where.
#include "choose/split_epilogues.h"

#include <gtest/gtest.h>

#include "ops/registry.h"

namespace memline {
namespace {

Node with_two_epilogues(const char* op) {
  Node node{.op = ops::find(op)};
  node.outputs = {0};
  node.epilogues.resize(2, {.kind = ops::EpilogueKind::relu});
  return node;
}

TEST(SplitEpilogues, EveryRestIsLessThanTheNodeSoThatLoweringEnds) {
  EXPECT_TRUE(can_split(with_two_epilogues("Softmax"), 0));
  EXPECT_TRUE(can_split(with_two_epilogues("Identity"), 1));
  EXPECT_FALSE(can_split(with_two_epilogues("Identity"), 0));
}

}  // namespace
}  // namespace memline

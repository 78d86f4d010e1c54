// Attention against the reference, each level that this CPU runs.
#include "ops/attention.h"

#include "cpu/families.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;

class Attention : public FamilyTest {
 protected:
  // q [..., rows, depth], k [..., depth, keys], v [..., keys, columns].
  void expect(std::vector<int64_t> stack, int64_t rows, int64_t depth, int64_t keys, int64_t columns) const {
    CheckCall call{.op = "Attention", .attrs = ops::Attrs::of(ops::AttentionAttrs{.scale = 0.37f})};
    call.row_axis = static_cast<int>(stack.size());
    for (const auto& [height, width] : {std::pair(rows, depth), std::pair(depth, keys), std::pair(keys, columns)}) {
      call.inputs.push_back({.dims = stack});
      call.inputs.back().dims.push_back(height);
      call.inputs.back().dims.push_back(width);
    }
    expect_matches_reference(tactic("attention"), call, {.relative = 2e-6, .absolute = 1e-6});
  }
};
INSTANTIATE_TEST_SUITE_P(Levels, Attention, ::testing::Values(CpuLevel::avx2, CpuLevel::avx512), level_of);

TEST_P(Attention, AnyExtents) {
  expect({2, 3}, 17, 8, 17, 8);
  expect({1, 2}, 100, 64, 197, 64);  // more rows than are taken at once
  expect({}, 5, 3, 7, 9);
  expect({4}, 1, 16, 33, 21);
  expect({1}, 50, 5, 1, 3);  // one key
  expect({2}, 0, 5, 4, 3);   // no rows
  expect({2}, 5, 4, 0, 3);   // no keys: zeros
  expect({2}, 5, 0, 4, 3);   // no depth: means
}

TEST_P(Attention, SaysWhyItRefuses) {
  CheckCall call{.op = "Attention", .attrs = ops::Attrs::of(ops::AttentionAttrs{})};
  call.inputs = {{.dims = {2, 4, 3, 8}, .channels_last = true}, {.dims = {2, 4, 8, 3}}, {.dims = {2, 4, 3, 8}}};
  EXPECT_EQ(refusal(tactic("attention"), call), "order 0231 does not end in the last axis");
}

}  // namespace
}  // namespace memline::cpu

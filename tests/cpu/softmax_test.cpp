// Softmax against the reference, each level that this CPU runs.
#include "ops/softmax.h"

#include "cpu/families.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;

constexpr testing::Tolerance kF32{.relative = 1e-6};

class Softmax : public FamilyTest {
 protected:
  void expect(std::vector<int64_t> dims, int64_t axis, bool channels_last = false, int row_axis = 2) const {
    CheckCall call{.op = "Softmax",
                   .attrs = ops::Attrs::of(ops::SoftmaxAttrs{.axis = axis}),
                   .output_channels_last = channels_last,
                   .row_axis = row_axis};
    call.inputs = {{.dims = std::move(dims), .channels_last = channels_last}};
    expect_matches_reference(tactic("softmax"), call, kF32);
  }
};
INSTANTIATE_TEST_SUITE_P(Levels, Softmax, ::testing::Values(CpuLevel::avx2, CpuLevel::avx512), level_of);

TEST_P(Softmax, AlongTheInnermostAxis) {
  expect({2, 3, 4, 37}, -1);
  expect({3, 1000}, 1, false, 0);
  expect({2, 21, 3, 5}, 1, true);
}

TEST_P(Softmax, AcrossTheInnermostAxis) {
  expect({1, 16, 4, 100}, 1);
  expect({1, 16, 4, 100}, 1, false, 3);
  expect({2, 5, 3, 700}, 2, false, 1);
  expect({2, 19, 3, 5}, 3, true);
}

TEST_P(Softmax, InputAndOutputMayLieInDifferentOrders) {
  CheckCall call{.op = "Softmax", .attrs = ops::Attrs::of(ops::SoftmaxAttrs{.axis = 1}), .output_channels_last = true};
  call.inputs = {{.dims = {2, 19, 3, 5}}};
  expect_matches_reference(tactic("softmax"), call, kF32);
}

TEST_P(Softmax, RefusesSeveralAxesAtOnce) {
  CheckCall call{.op = "Softmax", .attrs = ops::Attrs::of(ops::SoftmaxAttrs{.axis = 1, .flatten = true})};
  call.inputs = {{.dims = {2, 3, 4}}};
  EXPECT_EQ(refusal(tactic("softmax"), call), "runs over several axes at once");
  call.inputs = {{.dims = {2, 33, 1}}};
  expect_matches_reference(tactic("softmax"), call, kF32);
}

TEST_P(Softmax, StoresBf16) {
  for (const int64_t axis : {1, 3}) {
    CheckCall call{
        .op = "Softmax", .attrs = ops::Attrs::of(ops::SoftmaxAttrs{.axis = axis}), .output_dtype = DType::bf16};
    call.inputs = {{.dims = {1, 6, 4, 19}, .dtype = DType::bf16}};
    expect_matches_reference(tactic("softmax"), call, {.relative = 4e-3});
  }
  for (const int64_t channels : {7, 16, 33}) {  // rows of less than a register, of one, and of more
    CheckCall call{.op = "Softmax",
                   .attrs = ops::Attrs::of(ops::SoftmaxAttrs{.axis = 1}),
                   .output_channels_last = true,
                   .output_dtype = DType::bf16,
                   .row_axis = 3};
    call.inputs = {{.dims = {1, channels, 4, 50}, .dtype = DType::bf16, .channels_last = true}};
    expect_matches_reference(tactic("softmax"), call, {.relative = 4e-3});
  }
}

}  // namespace
}  // namespace memline::cpu

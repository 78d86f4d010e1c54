// LayerNormalization against the reference, each level that this CPU runs.
#include "ops/layer_normalization.h"

#include "cpu/families.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;

constexpr testing::Tolerance kF32{.relative = 2e-6};

class LayerNorm : public FamilyTest {
 protected:
  static CheckCall call_of(std::vector<int64_t> dims, bool has_bias = true, int64_t axis = -1, int row_axis = 1) {
    CheckCall call{.op = "LayerNormalization",
                   .attrs = ops::Attrs::of(ops::LayerNormalizationAttrs{.axis = axis}),
                   .row_axis = row_axis};
    const int64_t length = dims.back();
    call.inputs = {{.dims = std::move(dims)}, {.dims = {length}}};
    if (has_bias) call.inputs.push_back({.dims = {length}});
    return call;
  }
  void expect(const CheckCall& call, testing::Tolerance tolerance = kF32) const {
    expect_matches_reference(tactic("layer_norm"), call, tolerance);
  }
};
INSTANTIATE_TEST_SUITE_P(Levels, LayerNorm, ::testing::Values(CpuLevel::avx2, CpuLevel::avx512), level_of);

TEST_P(LayerNorm, AnyLengthAndRank) {
  for (const int64_t length : {1, 3, 8, 15, 16, 17, 64, 197, 768}) expect(call_of({2, 5, length}));
  expect(call_of({2, 3, 4, 33}));
  expect(call_of({7, 100}, true, 1, 0));
  expect(call_of({0, 5, 8}));
}

TEST_P(LayerNorm, WithoutABias) { expect(call_of({2, 5, 33}, false)); }

TEST_P(LayerNorm, AParameterMayHaveLeadingOnes) {
  CheckCall call = call_of({2, 5, 33});
  call.inputs[1].dims = {1, 33};
  expect(call);
}

TEST_P(LayerNorm, StoresBf16) {
  CheckCall call = call_of({2, 5, 83});
  call.inputs[0].dtype = call.output_dtype = DType::bf16;
  expect(call, {.relative = 8e-3});
}

TEST_P(LayerNorm, SaysWhyItRefuses) {
  EXPECT_EQ(refusal(tactic("layer_norm"), call_of({2, 3, 5}, true, 1)), "runs over axes from 1, needs the last alone");
  CheckCall call = call_of({2, 3, 4, 5});
  call.inputs[1].dims = {4, 1};
  EXPECT_EQ(refusal(tactic("layer_norm"), call), "a parameter is not as long as the axis");
  call.inputs[1].dims = {4, 5};
  EXPECT_EQ(refusal(tactic("layer_norm"), call), "a parameter is not of one row");
  call = call_of({2, 3, 4, 5});
  call.inputs[0].channels_last = call.output_channels_last = true;
  EXPECT_EQ(refusal(tactic("layer_norm"), call), "the last axis is not innermost in memory on both sides");
}

}  // namespace
}  // namespace memline::cpu

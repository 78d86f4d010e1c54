// Depthwise convolutions against the reference, each level that this CPU runs.
#include "cpu/families.h"
#include "ops/conv.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;
using Kind = ops::EpilogueKind;

constexpr testing::Tolerance kF32{.relative = 1e-6, .absolute = 1e-6};

class Depthwise : public FamilyTest {
 protected:
  void expect(const CheckCall& call, testing::Tolerance tolerance = kF32) const {
    expect_matches_reference(tactic("depthwise"), call, tolerance);
  }
};
INSTANTIATE_TEST_SUITE_P(Levels, Depthwise, ::testing::Values(CpuLevel::avx2, CpuLevel::avx512), level_of);

CheckCall depthwise(std::vector<int64_t> x, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation = 1) {
  ops::ConvAttrs attrs;
  attrs.strides = {stride, stride};
  attrs.pads = {pad, pad, pad, pad};
  attrs.dilations = {dilation, dilation};
  attrs.group = x[1];
  CheckCall call{.op = "Conv", .output_channels_last = true};
  call.inputs = {{.dims = x, .channels_last = true},
                 {.dims = {x[1], 1, kernel, kernel}, .constant = true},
                 {.dims = {x[1]}, .constant = true}};
  call.attrs = ops::Attrs::of(attrs);
  return call;
}

TEST_P(Depthwise, MatchesTheReferenceForUsualWindows) {
  for (const int64_t kernel : {3, 5})
    for (const int64_t stride : {1, 2}) {
      expect(depthwise({2, 16, 9, 21}, kernel, stride, kernel / 2));
      expect(depthwise({1, 19, 8, 40}, kernel, stride, 0));
    }
}

TEST_P(Depthwise, MatchesTheReferenceForAnyWindow) {
  expect(depthwise({1, 24, 11, 13}, 7, 1, 3));
  expect(depthwise({1, 24, 11, 13}, 3, 3, 1));
  expect(depthwise({1, 24, 11, 13}, 3, 1, 2, 2));
  expect(depthwise({1, 24, 11, 13}, 2, 2, 0));
  expect(depthwise({1, 3, 2, 2}, 5, 1, 2));
}

TEST_P(Depthwise, MatchesTheReferenceForSevenColumns) {
  for (const int64_t width : {1, 3, 6, 9, 13, 14, 15, 40}) expect(depthwise({2, 19, 8, width}, 7, 1, 3));
  expect(depthwise({1, 40, 9, 33}, 7, 1, 0));
}

TEST_P(Depthwise, MatchesTheReferenceForDilatedWindows) {
  for (const int64_t kernel : {3, 5})
    for (const int64_t dilation : {2, 3, 7})
      expect(depthwise({2, 17, 9, 37}, kernel, 1, kernel / 2 * dilation, dilation));
  expect(depthwise({1, 16, 33, 33}, 5, 1, 4, 2));
  expect(depthwise({1, 16, 5, 3}, 5, 1, 16, 8));  // fewer columns than the dilation
  CheckCall call = depthwise({1, 20, 9, 37}, 5, 1, 4, 2);
  call.epilogues = {{.kind = Kind::silu}, {.kind = Kind::add, .input = 3}};  // through the tile
  call.epilogue_inputs = {{.dims = {1, 20, 9, 37}, .channels_last = true}};
  expect(call);
}

TEST_P(Depthwise, MatchesTheReferenceOnManyChannels) { expect(depthwise({1, 300, 5, 6}, 3, 1, 1)); }

TEST_P(Depthwise, AppliesEpilogues) {
  CheckCall call = depthwise({2, 20, 7, 18}, 3, 1, 1);
  call.epilogues = {{.kind = Kind::hard_swish}, {.kind = Kind::mul, .input = 3}, {.kind = Kind::add, .input = 4}};
  call.epilogue_inputs = {{.dims = {2, 20, 1, 1}, .channels_last = true},
                          {.dims = {2, 20, 7, 18}, .channels_last = true}};
  expect(call);
}

TEST_P(Depthwise, StoresBf16) {
  CheckCall call = depthwise({1, 20, 7, 18}, 3, 1, 1);
  call.inputs[0].dtype = call.output_dtype = DType::bf16;
  expect(call, {.relative = 4e-3});
}

TEST_P(Depthwise, RefusesGroupsOfSeveralChannels) {
  CheckCall call = depthwise({1, 16, 7, 7}, 3, 1, 1);
  ops::ConvAttrs attrs = call.attrs.as<ops::ConvAttrs>();
  attrs.group = 8;
  call.attrs = ops::Attrs::of(attrs);
  call.inputs[1].dims = {16, 2, 3, 3};
  EXPECT_EQ(refusal(tactic("depthwise"), call), "8 groups of 2 to 2 channels: not depthwise");
}

}  // namespace
}  // namespace memline::cpu

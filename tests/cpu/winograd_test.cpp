// Winograd convolutions against the reference, each level that this CPU runs.
#include "cpu/families.h"
#include "ops/conv.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;
using Kind = ops::EpilogueKind;

constexpr testing::Tolerance kF43{.relative = 2e-5};
constexpr testing::Tolerance kF23{.relative = 4e-6};

ops::ConvAttrs conv_attrs(std::vector<int64_t> pads) {
  ops::ConvAttrs attrs;
  attrs.pads = std::move(pads);
  return attrs;
}

CheckCall conv3x3(std::vector<int64_t> x, int64_t outputs, std::vector<int64_t> pads = {1, 1, 1, 1}) {
  CheckCall call{.op = "Conv", .attrs = ops::Attrs::of(conv_attrs(std::move(pads))), .output_channels_last = true};
  const int64_t inputs = x[1];
  call.inputs = {{.dims = std::move(x), .channels_last = true},
                 {.dims = {outputs, inputs, 3, 3}, .constant = true},
                 {.dims = {outputs}, .constant = true}};
  return call;
}

class Winograd : public FamilyTest {
 protected:
  void expect_all(const CheckCall& call) const {
    expect_matches_reference(tactic("winograd43.packed"), call, kF43);
    expect_matches_reference(tactic("winograd43.incall"), call, kF43);
    expect_matches_reference(tactic("winograd23.packed"), call, kF23);
  }
};
INSTANTIATE_TEST_SUITE_P(Levels, Winograd, ::testing::Values(CpuLevel::avx2, CpuLevel::avx512), level_of);

TEST_P(Winograd, MatchesTheReferenceOnWholeTiles) {
  expect_all(conv3x3({1, 16, 8, 8}, 16));
  expect_all(conv3x3({2, 32, 16, 12}, 64));
}

TEST_P(Winograd, MatchesTheReferenceWhereTilesAndRegistersAreCut) {
  expect_all(conv3x3({1, 8, 7, 9}, 24));
  expect_all(conv3x3({2, 19, 5, 6}, 13));
  expect_all(conv3x3({1, 3, 1, 1}, 1));
  expect_all(conv3x3({1, 40, 2, 17}, 72));
}

TEST_P(Winograd, MatchesTheReferenceOnSeveralChunksOfChannels) {
  expect_all(conv3x3({1, 24, 6, 6}, 136));
  expect_all(conv3x3({1, 256, 4, 4}, 200));
}

TEST_P(Winograd, MatchesTheReferenceWithUnequalPads) {
  expect_all(conv3x3({1, 16, 9, 9}, 16, {0, 0, 0, 0}));
  expect_all(conv3x3({1, 16, 9, 10}, 16, {2, 0, 1, 3}));
}

TEST_P(Winograd, AppliesEpiloguesAndResiduals) {
  CheckCall call = conv3x3({2, 16, 9, 6}, 20);
  call.epilogues = {{.kind = Kind::silu}, {.kind = Kind::add, .input = 3}, {.kind = Kind::mul, .input = 4}};
  call.epilogue_inputs = {{.dims = {2, 20, 9, 6}, .channels_last = true},
                          {.dims = {2, 20, 1, 1}, .channels_last = true}};
  expect_all(call);
}

TEST_P(Winograd, BatchBandsAreBitEqual) {
  CheckCall call = conv3x3({3, 16, 5, 5}, 16);
  call.row_axis = 0;
  expect_all(call);
}

TEST_P(Winograd, StoresBf16WithF32Arithmetic) {
  CheckCall call = conv3x3({1, 16, 9, 9}, 24);
  call.inputs[0].dtype = DType::bf16;
  call.output_dtype = DType::bf16;
  expect_matches_reference(tactic("winograd43.packed"), call, {.relative = 4e-3});
}

TEST_P(Winograd, RefusesWhatIsNotA3x3ConvolutionOfStride1) {
  CheckCall strided = conv3x3({1, 16, 9, 9}, 16);
  ops::ConvAttrs attrs = conv_attrs({1, 1, 1, 1});
  attrs.strides = {2, 2};
  strided.attrs = ops::Attrs::of(attrs);
  EXPECT_EQ(refusal(tactic("winograd43.packed"), strided), "strides are not 1");
  CheckCall computed = conv3x3({1, 16, 9, 9}, 16);
  computed.inputs[1].constant = false;
  EXPECT_EQ(refusal(tactic("winograd43.packed"), computed), "weights are computed at run time");
}

}  // namespace
}  // namespace memline::cpu

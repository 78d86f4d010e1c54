// The convolution of pictures with few channels, each level that this CPU runs.
#include "cpu/gemm_level.h"
#include "ops/conv.h"

namespace memline::cpu {
namespace {

class StemConv : public GemmLevelTest {
 protected:
  void SetUp() override {
    GemmLevelTest::SetUp();
    if (!IsSkipped()) stem_ = tactic("stem_conv");
  }
  // The picture as the model gives it, in f32; with bf16 kernels also as a bf16 value.
  void check(testing::CheckCall call) const {
    if (!stem_) return;
    call.output_dtype = dtype();
    testing::expect_matches_reference(*stem_, call, tolerance());
    if (dtype() == DType::f32) return;
    call.inputs[0].dtype = dtype();
    testing::expect_matches_reference(*stem_, call, tolerance());
  }
  const Tactic* stem_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Levels, StemConv, gemm_levels(), gemm_level_name);

testing::CheckCall stem_call(std::vector<int64_t> x, std::vector<int64_t> w, ops::ConvAttrs attrs, bool channels_last) {
  const int64_t outputs = w[0];
  return {.op = "Conv",
          .attrs = ops::Attrs::of(std::move(attrs)),
          .inputs = {{.dims = std::move(x), .channels_last = channels_last},
                     {.dims = std::move(w), .constant = true},
                     {.dims = {outputs}, .constant = true}},
          .output_channels_last = true};
}

ops::ConvAttrs conv_attrs(std::vector<int64_t> strides, std::vector<int64_t> pads,
                          std::vector<int64_t> dilations = {}) {
  ops::ConvAttrs attrs;
  attrs.strides = std::move(strides);
  attrs.pads = std::move(pads);
  attrs.dilations = std::move(dilations);
  return attrs;
}

TEST_P(StemConv, MatchesTheReferenceInBothOrders) {
  for (const bool channels_last : {false, true}) {
    const auto check_in_order = [&](std::vector<int64_t> x, std::vector<int64_t> w, ops::ConvAttrs attrs) {
      check(stem_call(std::move(x), std::move(w), std::move(attrs), channels_last));
    };
    check_in_order({1, 3, 12, 13}, {16, 3, 3, 3}, conv_attrs({2, 2}, {1, 1, 1, 1}));
    check_in_order({2, 3, 15, 14}, {24, 3, 7, 7}, conv_attrs({2, 2}, {3, 3, 3, 3}));
    check_in_order({1, 1, 9, 10}, {5, 1, 3, 5}, conv_attrs({1, 1}, {0, 2, 1, 0}));
    check_in_order({1, 4, 9, 8}, {33, 4, 4, 4}, conv_attrs({4, 4}, {0, 0, 0, 0}));
    check_in_order({1, 3, 9, 9}, {8, 3, 3, 3}, conv_attrs({1, 1}, {2, 1, 2, 1}, {2, 1}));
    check_in_order({1, 3, 5, 203}, {8, 3, 3, 3}, conv_attrs({1, 1}, {1, 1, 1, 1}));
    check_in_order({1, 3, 40, 3}, {8, 3, 3, 3}, conv_attrs({1, 1}, {1, 1, 1, 1}));
  }
}

TEST_P(StemConv, LeavesOutInputThatNoWindowReaches) {
  check(stem_call({1, 3, 8, 8}, {8, 3, 2, 2}, conv_attrs({5, 5}, {0, 0, 0, 0}), false));
}

TEST_P(StemConv, CopiesRowsOfUpTo32ChannelsForTiles) {
  if (GetParam() < CpuLevel::amx) GTEST_SKIP() << "channels that lie together need no copy";
  for (const int64_t channels : {5, 16, 24, 32}) {
    check(stem_call({2, channels, 9, 35}, {16, channels, 3, 3}, conv_attrs({1, 1}, {1, 1, 1, 1}), true));
    check(stem_call({1, channels, 9, 35}, {40, channels, 3, 3}, conv_attrs({2, 2}, {1, 1, 1, 1}), true));
    check(stem_call({1, channels, 5, 20}, {20, channels, 5, 4}, conv_attrs({1, 1}, {2, 1, 2, 2}), false));
  }
}

TEST_P(StemConv, AppliesAResidual) {
  testing::CheckCall call = stem_call({1, 3, 6, 9}, {20, 3, 3, 3}, conv_attrs({1, 1}, {1, 1, 1, 1}), false);
  call.epilogues = {{.kind = ops::EpilogueKind::silu}, {.kind = ops::EpilogueKind::add, .input = 3}};
  call.epilogue_inputs = {{.dims = {1, 20, 6, 9}, .channels_last = true}};
  check(call);
}

TEST_P(StemConv, SaysWhyItRefuses) {
  const auto reason = [&](std::vector<int64_t> x, std::vector<int64_t> w, ops::ConvAttrs attrs, bool channels_last) {
    testing::CheckCall call = stem_call(std::move(x), std::move(w), std::move(attrs), channels_last);
    call.output_dtype = dtype();
    return testing::refusal(*stem_, call);
  };
  const int64_t most = GetParam() == CpuLevel::amx ? 32 : 16;
  EXPECT_EQ(reason({1, most + 1, 8, 8}, {8, most + 1, 3, 3}, conv_attrs({1, 1}, {0, 0, 0, 0}), false),
            fmt::format("{} input channels, at most {} are copied", most + 1, most));
  EXPECT_EQ(reason({1, 3, 8, 8}, {8, 3, 3, 3}, conv_attrs({1, 1}, {0, 0, 0, 0}, {1, 2}), true),
            "dilation along W is 2, needs 1");
  testing::CheckCall other = stem_call({1, 3, 8, 8}, {8, 3, 3, 3}, conv_attrs({1, 1}, {0, 0, 0, 0}), false);
  other.output_dtype = dtype() == DType::f32 ? DType::bf16 : DType::f32;
  EXPECT_EQ(testing::refusal(*stem_, other), fmt::format("output is {}, needs {}", other.output_dtype, dtype()));
}

}  // namespace
}  // namespace memline::cpu

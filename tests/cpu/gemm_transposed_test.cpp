// Transposed convolutions, each level that this CPU runs.
#include "cpu/gemm_level.h"
#include "ops/conv_transpose.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;
using Kind = ops::EpilogueKind;

struct Case {
  std::vector<int64_t> x, w, strides, pads, output_padding = {};
};

class TransposedConv : public GemmLevelTest {
 protected:
  CheckCall call_of(const Case& c, bool bias = true) const {
    ops::ConvTransposeAttrs attrs;
    attrs.strides = c.strides;
    attrs.pads = c.pads;
    attrs.output_padding = c.output_padding;
    CheckCall call{
        .op = "ConvTranspose", .attrs = ops::Attrs::of(attrs), .output_channels_last = true, .output_dtype = dtype()};
    call.inputs = {{.dims = c.x, .dtype = dtype(), .channels_last = true}, {.dims = c.w, .constant = true}};
    if (bias) call.inputs.push_back({.dims = {c.w[1]}, .constant = true});
    return call;
  }
  void check(const CheckCall& call) const {
    if (const Tactic* conv = tactic("transposed_conv")) testing::expect_matches_reference(*conv, call, tolerance());
  }
};
INSTANTIATE_TEST_SUITE_P(Levels, TransposedConv, gemm_levels(), gemm_level_name);

TEST_P(TransposedConv, EveryPhaseIsAConvolution) {
  const std::vector<Case> cases = {
      {{1, 24, 7, 9}, {24, 24, 2, 2}, {2, 2}, {0, 0, 0, 0}},       // DBNet
      {{2, 24, 5, 6}, {24, 1, 2, 2}, {2, 2}, {0, 0, 0, 0}},        // its last: one channel
      {{1, 6, 5, 5}, {6, 4, 3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},  // phases of different taps
      {{1, 6, 5, 4}, {6, 5, 4, 4}, {2, 2}, {1, 1, 1, 1}},          // FCN
      {{1, 16, 6, 6}, {16, 8, 3, 3}, {1, 1}, {1, 1, 1, 1}},        // one phase
      {{1, 3, 4, 5}, {3, 7, 5, 3}, {3, 1}, {2, 0, 1, 2}},          // lopsided
      {{1, 3, 7, 3}, {3, 4, 3, 3}, {2, 3}, {0, 0, 0, 0}},
  };
  for (const Case& c : cases) check(call_of(c));
}

TEST_P(TransposedConv, OneSpatialAxis) { check(call_of({{2, 3, 7}, {3, 4, 3}, {2}, {0, 1}})); }

TEST_P(TransposedConv, WithoutABiasAndWithEpilogues) {
  check(call_of({{1, 8, 4, 4}, {8, 8, 2, 2}, {2, 2}, {0, 0, 0, 0}}, false));
  CheckCall call = call_of({{1, 8, 4, 4}, {8, 8, 2, 2}, {2, 2}, {0, 0, 0, 0}});
  call.epilogues = {{.kind = Kind::silu}, {.kind = Kind::relu}};
  check(call);
}

TEST_P(TransposedConv, AnEmptyBatchIsNothing) { check(call_of({{0, 4, 3, 3}, {4, 4, 2, 2}, {2, 2}, {0, 0, 0, 0}})); }

TEST_P(TransposedConv, SaysWhyItRefuses) {
  const Tactic* conv = tactic("transposed_conv");
  ASSERT_NE(conv, nullptr);
  EXPECT_EQ(testing::refusal(*conv, call_of({{1, 4, 3, 3}, {4, 4, 2, 2}, {3, 2}, {0, 0, 0, 0}})),
            "the kernel of 2 leaves gaps at stride 3");
  EXPECT_EQ(testing::refusal(*conv, call_of({{1, 4, 9, 9}, {4, 4, 2, 2}, {2, 2}, {3, 0, 0, 0}})),
            "pads of 3 go beyond the kernel of 2");
}

}  // namespace
}  // namespace memline::cpu

// The convolutions of the GEMM family, each level that this CPU runs.
#include "cpu/gemm_level.h"
#include "ops/conv.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;
using testing::CheckInput;
using Kind = ops::EpilogueKind;

struct Case {
  std::vector<int64_t> x, w;
  ops::ConvAttrs attrs;
  bool bias = true;
};

ops::ConvAttrs conv_attrs(std::vector<int64_t> strides, std::vector<int64_t> pads, std::vector<int64_t> dilations = {},
                          int64_t group = 1) {
  ops::ConvAttrs attrs;
  attrs.strides = std::move(strides);
  attrs.pads = std::move(pads);
  attrs.dilations = std::move(dilations);
  attrs.group = group;
  return attrs;
}

CheckCall conv_call(const Case& c, DType dtype) {
  CheckCall call{.op = "Conv", .attrs = ops::Attrs::of(c.attrs), .output_channels_last = true, .output_dtype = dtype};
  call.inputs = {{.dims = c.x, .dtype = dtype, .channels_last = true}, {.dims = c.w, .constant = true}};
  if (c.bias) call.inputs.push_back({.dims = {c.w[0]}, .constant = true});
  return call;
}

class GemmConv : public GemmLevelTest {
 protected:
  void SetUp() override {
    GemmLevelTest::SetUp();
    if (!IsSkipped()) conv_ = tactic("indirect_conv");
  }
  CheckCall call_of(const Case& c) const { return conv_call(c, dtype()); }
  void check(const CheckCall& call) const {
    if (conv_) testing::expect_matches_reference(*conv_, call, tolerance());
  }
  const Tactic* conv_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Levels, GemmConv, gemm_levels(), gemm_level_name);

TEST_P(GemmConv, MatchesTheReferenceForEveryKindOfWindow) {
  const std::vector<Case> cases = {
      {{1, 16, 7, 9}, {32, 16, 1, 1}, conv_attrs({1, 1}, {0, 0, 0, 0})},
      {{2, 16, 7, 9}, {16, 16, 3, 3}, conv_attrs({1, 1}, {1, 1, 1, 1})},
      {{1, 24, 8, 11}, {40, 24, 3, 3}, conv_attrs({2, 2}, {1, 1, 1, 1}), false},
      {{1, 5, 9, 9}, {7, 5, 5, 3}, conv_attrs({1, 2}, {2, 1, 2, 1})},
      {{1, 8, 10, 10}, {8, 8, 3, 3}, conv_attrs({1, 1}, {2, 2, 2, 2}, {2, 2})},
      {{1, 4, 6, 6}, {8, 4, 7, 7}, conv_attrs({2, 2}, {3, 3, 3, 3})},
      {{1, 8, 5, 5}, {16, 8, 3, 3}, conv_attrs({1, 1}, {0, 2, 1, 0})},
      {{3, 1, 6, 4}, {1, 1, 2, 2}, conv_attrs({2, 1}, {0, 0, 0, 0})},
      {{1, 130, 3, 5}, {70, 130, 1, 3}, conv_attrs({1, 1}, {0, 1, 0, 1})},
  };
  for (const Case& c : cases) check(call_of(c));
}

TEST_P(GemmConv, TapsThatLieInThePaddingAreLeftOut) {
  for (const int64_t dilation : {3, 8, 9, 20})  // some windows, single columns, none but the centre
    check(call_of({{1, 16, 9, 17},
                   {24, 16, 3, 3},
                   conv_attrs({1, 1}, {dilation, dilation, dilation, dilation}, {dilation, dilation})}));
  check(call_of({{2, 5, 4, 4}, {8, 5, 3, 3}, conv_attrs({1, 1}, {6, 6, 6, 6}, {6, 6}), false}));
}

TEST_P(GemmConv, CutsPicturesIntoChunks) {
  check(call_of({{1, 8, 13, 40}, {16, 8, 3, 3}, conv_attrs({1, 1}, {1, 1, 1, 1})}));
  check(call_of({{2, 8, 3, 203}, {8, 8, 1, 3}, conv_attrs({1, 2}, {0, 2, 0, 2})}));
  check(call_of({{1, 4, 40, 3}, {8, 4, 3, 3}, conv_attrs({1, 1}, {1, 1, 1, 1})}));  // most windows reach over an edge
  check(call_of({{1, 4, 9, 2}, {8, 4, 3, 7}, conv_attrs({1, 1}, {1, 3, 1, 3})}));   // every window does, over both
}

TEST_P(GemmConv, HandlesEveryChannelCountUpToTwoBlocksAndATail) {
  for (int64_t channels = 1; channels <= 50; ++channels) {
    const Case c{{1, 3, 3, 5}, {channels, 3, 1, 1}, conv_attrs({1, 1}, {0, 0, 0, 0})};
    check(call_of(c));
  }
}

// Tiles of AMX take 16 pixels and a tap's channels in equal parts of at most 32: 15 to 49 pixels and every kind of
// remainder, pixels at one pitch (1x1) and not.
TEST_P(GemmConv, HandlesPixelsAndChannelsThatFillNoTile) {
  for (const int64_t depth : {2, 15, 31, 32, 33, 40, 63, 64, 65, 80, 100}) {
    check(call_of({{1, depth, 1, 15}, {40, depth, 1, 1}, conv_attrs({1, 1}, {0, 0, 0, 0})}));
    check(call_of({{1, depth, 3, 11}, {17, depth, 1, 1}, conv_attrs({1, 1}, {0, 0, 0, 0})}));
    check(call_of({{1, depth, 7, 7}, {33, depth, 3, 3}, conv_attrs({1, 1}, {1, 1, 1, 1})}));
  }
  check(call_of({{1, 24, 5, 37}, {16, 24, 3, 3}, conv_attrs({1, 2}, {1, 1, 1, 1})}));
  check(call_of({{1, 32, 21, 20}, {64, 32, 3, 3}, conv_attrs({1, 1}, {1, 1, 1, 1})}));
}

TEST_P(GemmConv, HandlesGroups) {
  check(call_of({{1, 12, 6, 7}, {18, 4, 3, 3}, conv_attrs({1, 1}, {1, 1, 1, 1}, {}, 3)}));
  check(call_of({{2, 6, 5, 5}, {6, 1, 3, 3}, conv_attrs({2, 2}, {1, 1, 1, 1}, {}, 6)}));
}

TEST_P(GemmConv, HandlesOneSpatialAxis) { check(call_of({{2, 10, 15}, {20, 10, 3}, conv_attrs({2}, {1, 1})})); }

TEST_P(GemmConv, ResolvesSamePadding) {
  for (const char* mode : {"SAME_UPPER", "SAME_LOWER"}) {
    ops::ConvAttrs attrs = conv_attrs({2, 2}, {});
    attrs.auto_pad = mode;
    check(call_of({{1, 8, 7, 10}, {16, 8, 3, 4}, attrs}));
  }
}

TEST_P(GemmConv, ComputesBandsOfPictures) {
  CheckCall call = call_of({{4, 8, 3, 5}, {16, 8, 3, 3}, conv_attrs({1, 1}, {1, 1, 1, 1})});
  call.row_axis = 0;
  check(call);
}

TEST_P(GemmConv, AppliesEveryActivation) {
  for (const Kind kind : {Kind::relu, Kind::leaky_relu, Kind::clip, Kind::sigmoid, Kind::silu, Kind::hard_sigmoid,
                          Kind::hard_swish, Kind::tanh, Kind::gelu, Kind::gelu_tanh, Kind::mish, Kind::affine}) {
    CheckCall call = call_of({{1, 6, 4, 7}, {21, 6, 1, 1}, conv_attrs({1, 1}, {0, 0, 0, 0})});
    call.epilogues = {{.kind = kind, .a = kind == Kind::clip ? -0.5f : 0.3f, .b = 0.7f}};
    SCOPED_TRACE(ops::epilogue_text(call.epilogues[0]));
    check(call);
  }
}

// The weights are multiples of 1/64 below 2, which bf16 holds. A rounded weight is off by up to 2^-9, so a sum of six
// products would be by 6 * 2^-9, and 60 times that says nothing of an activation. What is left in bf16 is the rounding
// of the result: 2^-9 of it, within the tolerance.
TEST_P(GemmConv, ActivationsHoldFarFromZero) {
  std::vector<double> weights;
  for (int i = 0; i < 21 * 6; ++i) weights.push_back((i * 37 % 129 - 64) / 64.0);
  for (const Kind kind :
       {Kind::sigmoid, Kind::silu, Kind::hard_swish, Kind::tanh, Kind::gelu, Kind::gelu_tanh, Kind::mish}) {
    CheckCall call = call_of({{1, 6, 4, 7}, {21, 6, 1, 1}, conv_attrs({1, 1}, {0, 0, 0, 0})});
    call.inputs[1].values = weights;
    call.epilogues = {{.kind = Kind::affine, .a = 60, .b = 0}, {.kind = kind}};
    SCOPED_TRACE(ops::epilogue_text(call.epilogues[1]));
    check(call);
  }
}

TEST_P(GemmConv, AppliesListsWithOperands) {
  CheckCall call = call_of({{2, 6, 4, 5}, {35, 6, 1, 1}, conv_attrs({1, 1}, {0, 0, 0, 0}), false});
  const CheckInput residual{.dims = {2, 35, 4, 5}, .dtype = dtype(), .channels_last = true};
  const auto check_list = [&](std::vector<ops::Epilogue> epilogues, std::vector<CheckInput> inputs) {
    call.epilogues = std::move(epilogues);
    call.epilogue_inputs = std::move(inputs);
    check(call);
  };
  check_list({{.kind = Kind::bias, .input = 2}, {.kind = Kind::add, .input = 3}, {.kind = Kind::relu}},
             {{.dims = {35}}, residual});
  check_list({{.kind = Kind::add, .input = 2}}, {residual});
  check_list({{.kind = Kind::silu}, {.kind = Kind::add, .input = 2}}, {residual});
  check_list({{.kind = Kind::mul, .input = 2}, {.kind = Kind::bias, .input = 3}},
             {{.dims = {2, 35, 1, 1}, .channels_last = true}, {.dims = {35}}});
  check_list({{.kind = Kind::add, .input = 2}, {.kind = Kind::clip, .a = 0, .b = 6}},
             {{.dims = {1, 1, 4, 5}, .channels_last = true}});
  check_list({{.kind = Kind::mul, .input = 2}}, {{.dims = {35, 1, 1}}});
  check_list({{.kind = Kind::add, .input = 2}}, {{.dims = {1}}});
  check_list({{.kind = Kind::add, .input = 2}}, {{.dims = {2, 35, 4, 5}}});  // row-major: channels are far apart
}

TEST_P(GemmConv, SaysWhyItRefuses) {
  const Case c{{1, 6, 4, 5}, {8, 6, 1, 1}, conv_attrs({1, 1}, {0, 0, 0, 0})};
  CheckCall call = call_of(c);
  call.inputs[1].constant = false;
  EXPECT_EQ(testing::refusal(*conv_, call), "weights are computed at run time");
  call = call_of(c);
  call.inputs[0].channels_last = false;
  EXPECT_EQ(testing::refusal(*conv_, call), "input order 0123 does not end in the channels");
  call = call_of(c);
  call.inputs[0].dtype = DType::f16;
  EXPECT_EQ(testing::refusal(*conv_, call), fmt::format("input is f16, needs {}", dtype()));
}

}  // namespace
}  // namespace memline::cpu

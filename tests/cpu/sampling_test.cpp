// GridSample and RoiAlign against the reference, each level that this CPU runs.
#include <cmath>
#include <limits>

#include "cpu/families.h"
#include "ops/grid_sample.h"
#include "ops/roi_align.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;

constexpr testing::Tolerance kF32{.relative = 2e-6, .absolute = 1e-6};

class Sampling : public FamilyTest {};
INSTANTIATE_TEST_SUITE_P(Levels, Sampling, ::testing::Values(CpuLevel::avx2, CpuLevel::avx512), level_of);

TEST_P(Sampling, GridSampleReadsAnyPosition) {
  for (const char* padding : {"zeros", "border", "reflection"})
    for (const bool corners : {false, true})
      for (const bool channels_last : {false, true}) {
        ops::GridSampleAttrs attrs{.padding_mode = padding, .align_corners = corners};
        CheckCall call{
            .op = "GridSample", .attrs = ops::Attrs::of(attrs), .output_channels_last = channels_last, .row_axis = 2};
        call.inputs = {{.dims = {2, 21, 6, 5}, .channels_last = true}, {.dims = {2, 7, 3, 2}}};
        for (int i = 0; i < 84; ++i) call.inputs[1].values.push_back(std::sin(i * 1.7) * 1.6);  // outside, too
        expect_matches_reference(tactic("grid_sample"), call, kF32);
      }
}

CheckCall roi_align(int64_t ratio, int64_t channels, const std::string& coordinates = "half_pixel") {
  const ops::RoiAlignAttrs attrs{.coordinate_transformation_mode = coordinates,
                                 .output_height = 3,
                                 .output_width = 2,
                                 .sampling_ratio = ratio,
                                 .spatial_scale = 0.5f};
  CheckCall call{.op = "RoiAlign", .attrs = ops::Attrs::of(attrs), .row_axis = 0};
  call.inputs = {{.dims = {2, channels, 9, 11}, .channels_last = true},
                 {.dims = {5, 4}, .values = {1, 2, 10, 12, -3, -2, 4, 4, 5, 5, 60, 80, 4, 4, 4, 4, 0, 0, 22, 18}},
                 {.dims = {5}, .dtype = DType::i64, .values = {0, 1, 1, 0, 7}}};  // the last names no picture
  return call;
}

TEST_P(Sampling, RoiAlignTakesRegionsThatLeaveTheMap) {
  for (const int64_t ratio : {0, 1, 2, 5})  // 5: more samples than are added at once
    for (const int64_t channels : {3, 16, 40}) {
      expect_matches_reference(tactic("roi_align"), roi_align(ratio, channels), kF32);
      CheckCall call = roi_align(ratio, channels, "output_half_pixel");
      call.output_channels_last = true;
      call.row_axis = 2;
      expect_matches_reference(tactic("roi_align"), call, kF32);
    }
}

TEST_P(Sampling, RoiAlignReturnsFromRegionsOfAnySize) {
  constexpr double kHuge = 1e30, kInfinite = std::numeric_limits<double>::infinity();
  for (const char* coordinates : {"half_pixel", "output_half_pixel"}) {
    CheckCall call = roi_align(0, 3, coordinates);
    call.inputs[1].values = {-kHuge, 0,   kHuge, 9,     0, -kInfinite, 9, kInfinite, -3e9,         -4e9,
                             5e9,    6e9, 9,     kHuge, 1, -kHuge,     0, 0,         std::nan(""), 4};
    expect_matches_reference(tactic("roi_align"), call, kF32);
  }
}

TEST_P(Sampling, SaysWhyItRefuses) {
  CheckCall call = roi_align(2, 8);
  call.inputs[0].channels_last = false;
  EXPECT_EQ(refusal(tactic("roi_align"), call), "input order 0123 does not end in the channels");
}

}  // namespace
}  // namespace memline::cpu

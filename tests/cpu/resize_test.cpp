// Resize against the reference, each level that this CPU runs.
#include "ops/resize.h"

#include "cpu/families.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;

constexpr testing::Tolerance kExact{};
constexpr testing::Tolerance kF32{.absolute = 1e-6};

class Resize : public FamilyTest {};
INSTANTIATE_TEST_SUITE_P(Levels, Resize, ::testing::Values(CpuLevel::avx2, CpuLevel::avx512), level_of);

CheckCall resize(const ops::ResizeAttrs& attrs, std::vector<int64_t> x, std::vector<double> scales) {
  CheckCall call{.op = "Resize", .attrs = ops::Attrs::of(attrs), .output_channels_last = true};
  call.inputs = {{.dims = std::move(x), .channels_last = true},
                 {.dims = {0}, .present = false},
                 {.dims = {4}, .constant = true, .values = std::move(scales)}};
  return call;
}

TEST_P(Resize, NearestCopiesPixels) {
  ops::ResizeAttrs attrs;
  expect_matches_reference(tactic("resize_nearest"), resize(attrs, {2, 19, 4, 5}, {1, 1, 2, 2}), kExact);
  attrs.coordinate_transformation_mode = "asymmetric";
  attrs.nearest_mode = "floor";
  expect_matches_reference(tactic("resize_nearest"), resize(attrs, {1, 16, 4, 5}, {1, 1, 2, 2}), kExact);
  expect_matches_reference(tactic("resize_nearest"), resize(attrs, {1, 3, 7, 9}, {1, 1, 0.6, 1.7}), kExact);
}

TEST_P(Resize, NearestTakesAnyDtype) {
  CheckCall call = resize({}, {1, 5, 4, 5}, {1, 1, 2, 3});
  call.inputs[0].dtype = call.output_dtype = DType::u8;
  expect_matches_reference(tactic("resize_nearest"), call, kExact);
}

TEST_P(Resize, LinearAndCubicMatchTheReference) {
  for (const char* mode : {"linear", "cubic"})
    for (const char* coordinates : {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"}) {
      ops::ResizeAttrs attrs;
      attrs.mode = mode;
      attrs.coordinate_transformation_mode = coordinates;
      expect_matches_reference(tactic("resize"), resize(attrs, {2, 19, 4, 5}, {1, 1, 2, 2}), kF32);
      expect_matches_reference(tactic("resize"), resize(attrs, {1, 16, 9, 11}, {1, 1, 0.7, 1.3}), kF32);
    }
}

TEST_P(Resize, WritesAModelsOutputAsItLies) {
  ops::ResizeAttrs attrs;
  attrs.mode = "linear";
  for (const int64_t channels : {1, 7, 21, 40}) {
    CheckCall call = resize(attrs, {2, channels, 5, 6}, {1, 1, 3, 3.5});
    call.output_channels_last = false;
    expect_matches_reference(tactic("resize"), call, kF32);
  }
}

TEST_P(Resize, LinearBySizesMatchesTheReference) {
  ops::ResizeAttrs attrs;
  attrs.mode = "linear";
  attrs.axes = {2, 3};
  CheckCall call = resize(attrs, {1, 24, 5, 7}, {});
  call.inputs[2] = {.dims = {0}, .present = false};
  call.inputs.push_back({.dims = {2}, .constant = true, .dtype = DType::i64, .values = {11, 3}});
  expect_matches_reference(tactic("resize"), call, kF32);
}

TEST_P(Resize, StoresBf16) {
  ops::ResizeAttrs attrs;
  attrs.mode = "linear";
  CheckCall call = resize(attrs, {1, 19, 4, 5}, {1, 1, 2, 2});
  call.inputs[0].dtype = call.output_dtype = DType::bf16;
  expect_matches_reference(tactic("resize"), call, {.absolute = 4e-3});
}

TEST_P(Resize, RefusesChannelsThatAreResampled) {
  EXPECT_EQ(refusal(tactic("resize_nearest"), resize({}, {1, 4, 4, 4}, {1, 1.1, 2, 2})),
            "batch or channels are resampled, or scales are not constant");
}

}  // namespace
}  // namespace memline::cpu

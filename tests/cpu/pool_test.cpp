// Pools against the reference, each level that this CPU runs.
#include <cmath>
#include <limits>
#include "cpu/families.h"

#include "ops/pool.h"
#include "ops/registry.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;
using Kind = ops::EpilogueKind;

constexpr testing::Tolerance kExact{};
constexpr testing::Tolerance kF32{.relative = 1e-6, .absolute = 1e-7};

class Pool : public FamilyTest {
 protected:
  void expect(const CheckCall& call, testing::Tolerance tolerance) const {
    expect_matches_reference(tactic("pool"), call, tolerance);
  }
};
INSTANTIATE_TEST_SUITE_P(Levels, Pool, ::testing::Values(CpuLevel::avx2, CpuLevel::avx512), level_of);

template <typename A>
A windows(std::vector<int64_t> kernel, std::vector<int64_t> strides, std::vector<int64_t> pads,
          std::vector<int64_t> dilations = {}) {
  A attrs;
  attrs.kernel_shape = std::move(kernel);
  attrs.strides = std::move(strides);
  attrs.pads = std::move(pads);
  attrs.dilations = std::move(dilations);
  return attrs;
}

template <typename A>
CheckCall pool(const A& attrs, std::vector<int64_t> x) {
  CheckCall call{.op = std::is_same_v<A, ops::MaxPoolAttrs> ? "MaxPool" : "AveragePool",
                 .attrs = ops::Attrs::of(attrs),
                 .output_channels_last = true};
  call.inputs = {{.dims = std::move(x), .channels_last = true}};
  return call;
}

TEST_P(Pool, MaximaAreExact) {
  using A = ops::MaxPoolAttrs;
  expect(pool(windows<A>({5, 5}, {1, 1}, {2, 2, 2, 2}), {2, 19, 9, 12}), kExact);
  expect(pool(windows<A>({3, 3}, {2, 2}, {1, 1, 1, 1}), {1, 64, 12, 13}), kExact);
  expect(pool(windows<A>({2, 3}, {2, 1}, {0, 1, 1, 0}, {2, 2}), {1, 16, 9, 12}), kExact);
}

TEST_P(Pool, CeilModeHangsOverTheEnd) {
  auto max = windows<ops::MaxPoolAttrs>({3, 3}, {2, 2}, {0, 0, 0, 0});
  max.ceil_mode = true;
  expect(pool(max, {1, 16, 8, 10}), kExact);
  auto average = windows<ops::AveragePoolAttrs>({3, 3}, {2, 2}, {1, 1, 1, 1});
  average.ceil_mode = true;
  for (const bool counts : {true, false}) {
    average.count_include_pad = counts;
    expect(pool(average, {1, 16, 8, 9}), kF32);
  }
}

TEST_P(Pool, AveragesCountPadsWhenAsked) {
  for (const bool counts : {true, false}) {
    auto attrs = windows<ops::AveragePoolAttrs>({3, 2}, {1, 2}, {1, 1, 2, 0});
    attrs.count_include_pad = counts;
    expect(pool(attrs, {2, 21, 7, 8}), kF32);
  }
}

TEST_P(Pool, ChannelsAreCutIntoChunks) {
  expect(pool(windows<ops::MaxPoolAttrs>({3, 3}, {1, 1}, {1, 1, 1, 1}), {1, 100, 3, 300}), kExact);
  expect(pool(windows<ops::AveragePoolAttrs>({2, 2}, {2, 2}, {0, 0, 0, 0}), {1, 2100, 2, 4}), kF32);
}

TEST_P(Pool, PicturesOfOneSpatialAxis) {
  expect(pool(windows<ops::MaxPoolAttrs>({3}, {2}, {1, 1}), {2, 19, 15}), kExact);
  expect(pool(windows<ops::AveragePoolAttrs>({3}, {2}, {1, 1}), {2, 19, 15}), kF32);
}

TEST_P(Pool, AppliesEpilogues) {
  CheckCall call = pool(windows<ops::AveragePoolAttrs>({2, 2}, {2, 2}, {0, 0, 0, 0}), {2, 19, 8, 8});
  call.epilogues = {{.kind = Kind::relu}, {.kind = Kind::add, .input = 1}};
  call.epilogue_inputs = {{.dims = {2, 19, 4, 4}, .channels_last = true}};
  expect(call, kF32);
}

TEST_P(Pool, NaNIsTheResultOfItsWindow) {
  CheckCall call = pool(windows<ops::MaxPoolAttrs>({2, 1}, {1, 1}, {0, 0, 0, 0}), {1, 1, 3, 1});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const bool first : {true, false}) {
    float x[2] = {first ? nan : 1.0f, first ? 1.0f : nan}, y = 0;
    OpCall op;
    op.op = ops::find("MaxPool");
    op.attrs = call.attrs;
    op.base_inputs = 1;
    op.in = {{.type = {DType::f32, {1, 1, 2, 1}}, .max_dims = {1, 1, 2, 1}, .order = AxisOrder::channels_last(4)}};
    op.out = {{.type = {DType::f32, {1, 1, 1, 1}}, .max_dims = {1, 1, 1, 1}, .order = AxisOrder::channels_last(4)}};
    const auto kernel = tactic("pool").make(op, {});
    const TensorView in = dense_view(DType::f32, x, op.in[0].max_dims);
    TensorView out = dense_view(DType::f32, &y, op.out[0].max_dims);
    std::vector<std::byte> scratch(static_cast<size_t>(tactic("pool").workspace(op, 1).total(1)));
    Serial serial;
    ASSERT_TRUE((*kernel)
                    ->run({.in = {&in, 1}, .out = {&out, 1}, .rows = {0, 1}, .workspace = scratch, .parallel = &serial})
                    .ok());
    EXPECT_TRUE(std::isnan(y)) << "NaN first: " << first;
  }
}

}  // namespace
}  // namespace memline::cpu

// Reductions against the reference, each level that this CPU runs.
#include "ops/reduce.h"

#include <cmath>

#include "cpu/families.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;

constexpr testing::Tolerance kF32{.relative = 1e-6, .absolute = 1e-6};

class Reduce : public FamilyTest {
 protected:
  void expect(std::string_view op, std::vector<int64_t> dims, std::vector<double> axes, bool keepdims = true,
              bool channels_last = true, int row_axis = 1) const {
    CheckCall call{.op = op,
                   .attrs = ops::Attrs::of(ops::ReduceAttrs{.keepdims = keepdims}),
                   .output_channels_last = channels_last && keepdims,
                   .row_axis = row_axis};
    const auto count = static_cast<int64_t>(axes.size());
    call.inputs = {{.dims = std::move(dims), .channels_last = channels_last},
                   {.dims = {count}, .constant = true, .dtype = DType::i64, .values = std::move(axes)}};
    expect_matches_reference(tactic("reduce"), call, kF32);
  }
};
INSTANTIATE_TEST_SUITE_P(Levels, Reduce, ::testing::Values(CpuLevel::avx2, CpuLevel::avx512), level_of);

TEST_P(Reduce, SpatialAxesOfPictures) {
  for (const char* op : {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin"})
    for (const bool channels_last : {true, false}) {
      expect(op, {2, 19, 9, 13}, {2, 3}, true, channels_last);
      expect(op, {2, 40, 20, 30}, {2, 3}, false, channels_last);
    }
}

TEST_P(Reduce, AnyAxes) {
  expect("ReduceMean", {2, 19, 9, 13}, {1});
  expect("ReduceMean", {2, 19, 9, 13}, {1}, true, false, 2);
  expect("ReduceSum", {2, 19, 9, 13}, {0, 2});
  expect("ReduceSum", {2, 19, 9, 13}, {-1}, false);
  expect("ReduceMax", {2, 3, 4, 5}, {0, 1, 2, 3});
  expect("ReduceMean", {7, 300}, {1}, true, false, 0);
  expect("ReduceMean", {300, 7}, {0}, false, false, 0);
  expect("ReduceSum", {3, 1, 4}, {1}, true, false, 0);
}

// A sum of 57600 positive numbers is not rounded more than one of a few.
TEST_P(Reduce, LongSumsAreNotOff) {
  std::vector<double> values(static_cast<size_t>(3 * 240 * 240));
  for (size_t i = 0; i < values.size(); ++i) values[i] = 0.7 + 0.1 * std::sin(static_cast<double>(i));
  for (const bool channels_last : {true, false}) {
    CheckCall call{.op = "GlobalAveragePool", .output_channels_last = channels_last, .row_axis = 1};
    call.inputs = {{.dims = {1, 3, 240, 240}, .channels_last = channels_last, .values = values}};
    expect_matches_reference(tactic("reduce"), call, {.relative = 2e-7});
  }
}

TEST_P(Reduce, GlobalPools) {
  for (const char* op : {"GlobalAveragePool", "GlobalMaxPool"})
    for (const bool channels_last : {true, false}) {
      CheckCall call{.op = op, .output_channels_last = channels_last, .row_axis = 1};
      call.inputs = {{.dims = {2, 37, 12, 17}, .channels_last = channels_last}};
      expect_matches_reference(tactic("reduce"), call, kF32);
    }
}

TEST_P(Reduce, StoresBf16) {
  CheckCall call{.op = "GlobalAveragePool", .output_channels_last = true, .output_dtype = DType::bf16};
  call.inputs = {{.dims = {2, 37, 5, 6}, .dtype = DType::bf16, .channels_last = true}};
  expect_matches_reference(tactic("reduce"), call, {.relative = 4e-3});
}

}  // namespace
}  // namespace memline::cpu

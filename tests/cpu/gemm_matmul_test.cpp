// The matrix products of the GEMM family, each level that this CPU runs.
#include <gtest/gtest.h>

#include "cpu/tactics.h"
#include "ops/gemm.h"
#include "support/tactic_check.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;
using testing::CheckInput;
using Kind = ops::EpilogueKind;

constexpr testing::Tolerance kF32{.relative = 2e-6, .absolute = 1e-6};

class GemmMatMul : public ::testing::TestWithParam<CpuLevel> {
 protected:
  void SetUp() override {
    if (GetParam() > *detect_cpu_level()) GTEST_SKIP() << "this CPU does not reach " << cpu_level_name(GetParam());
    tactics_ = make_tactics(GetParam());
    const std::string level(cpu_level_name(GetParam()));
    for (const auto& tactic : tactics_) {
      if (tactic->name() == "cpu.matmul." + level) constant_ = tactic.get();
      if (tactic->name() == "cpu.runtime_matmul." + level) runtime_ = tactic.get();
    }
    ASSERT_TRUE(constant_ && runtime_);
  }
  // Both tactics: b as a constant and b computed.
  void check(CheckCall call) {
    call.inputs[1].constant = true;
    testing::expect_matches_reference(*constant_, call, kF32);
    call.inputs[1].constant = false;
    testing::expect_matches_reference(*runtime_, call, kF32);
  }
  std::vector<std::unique_ptr<Tactic>> tactics_;
  const Tactic* constant_ = nullptr;
  const Tactic* runtime_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Levels, GemmMatMul, ::testing::Values(CpuLevel::avx2, CpuLevel::avx512),
                         [](const auto& info) { return std::string(cpu_level_name(info.param)); });

CheckCall matmul(std::vector<int64_t> a, std::vector<int64_t> b, int row_axis) {
  return {.op = "MatMul", .inputs = {{.dims = std::move(a)}, {.dims = std::move(b)}}, .row_axis = row_axis};
}

TEST_P(GemmMatMul, MultipliesMatricesOfAnySize) {
  check(matmul({7, 5}, {5, 9}, 0));
  check(matmul({1, 64}, {64, 100}, 0));
  check(matmul({13, 33}, {33, 16}, 0));
  check(matmul({2, 1}, {1, 1}, 0));
  check(matmul({197, 64}, {64, 24}, 0));
}

TEST_P(GemmMatMul, BroadcastsLeadingAxes) {
  check(matmul({3, 4, 5}, {5, 6}, 1));
  check(matmul({3, 4, 5}, {5, 6}, 0));
  check(matmul({2, 3, 4, 5}, {2, 3, 5, 17}, 2));
  check(matmul({2, 3, 4, 5}, {3, 5, 17}, 0));
  check(matmul({4, 5}, {2, 2, 5, 6}, 1));
  check(matmul({2, 1, 4, 5}, {1, 3, 5, 6}, 1));
}

TEST_P(GemmMatMul, HandlesEveryColumnCountUpToTwoBlocksAndATail) {
  for (int64_t columns = 1; columns <= 50; ++columns) check(matmul({7, 3}, {3, columns}, 0));
}

TEST_P(GemmMatMul, GathersRowsWhoseDepthIsNotInnermost) {
  for (const bool transpose_b : {false, true}) {
    ops::GemmAttrs attrs{.alpha = 0.5f, .transA = true, .transB = transpose_b};
    CheckCall call{.op = "Gemm", .attrs = ops::Attrs::of(attrs), .row_axis = 0};
    call.inputs = {{.dims = {11, 30}},
                   {.dims = transpose_b ? std::vector<int64_t>{19, 11} : std::vector<int64_t>{11, 19}}};
    check(call);
  }
}

TEST_P(GemmMatMul, AddsGemmsCOfEveryShape) {
  for (const std::vector<int64_t>& c : std::vector<std::vector<int64_t>>{{19}, {1, 19}, {6, 19}, {6, 1}, {1}, {}}) {
    CheckCall call{.op = "Gemm", .attrs = ops::Attrs::of(ops::GemmAttrs{}), .row_axis = 0};
    call.inputs = {{.dims = {6, 11}}, {.dims = {11, 19}}, {.dims = c, .constant = true}};
    call.epilogues = {{.kind = Kind::relu}};
    check(call);
  }
}

TEST_P(GemmMatMul, AppliesEpiloguesAlongTheLastAxis) {
  CheckCall call = matmul({2, 7, 5}, {5, 21}, 1);
  call.epilogues = {{.kind = Kind::bias, .input = 2}, {.kind = Kind::gelu}, {.kind = Kind::add, .input = 3}};
  call.epilogue_inputs = {{.dims = {21}}, {.dims = {2, 7, 21}}};
  check(call);
  call.epilogues = {{.kind = Kind::mul, .input = 2}, {.kind = Kind::add, .input = 3}, {.kind = Kind::silu}};
  call.epilogue_inputs = {{.dims = {7, 1}}, {.dims = {2, 1, 21}}};
  check(call);
}

TEST_P(GemmMatMul, SaysWhyItRefuses) {
  CheckCall call = matmul({2, 5}, {5, 4}, 0);
  EXPECT_EQ(testing::refusal(*constant_, call), "b is computed at run time");
  call = matmul({5}, {5, 4}, 0);
  EXPECT_EQ(testing::refusal(*runtime_, call), "a vector: needs matrices");
  call = {.op = "Gemm", .attrs = ops::Attrs::of(ops::GemmAttrs{.beta = 2}), .row_axis = 0};
  call.inputs = {{.dims = {2, 5}}, {.dims = {5, 4}}, {.dims = {4}}};
  EXPECT_EQ(testing::refusal(*runtime_, call), "beta is 2, needs 1 or 0");
}

}  // namespace
}  // namespace memline::cpu

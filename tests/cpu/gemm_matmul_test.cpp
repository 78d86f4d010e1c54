// The matrix products of the GEMM family, each level that this CPU runs.
#include "cpu/gemm_level.h"
#include "ops/gemm.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;
using testing::CheckInput;
using Kind = ops::EpilogueKind;

class GemmMatMul : public GemmLevelTest {
 protected:
  void SetUp() override {
    GemmLevelTest::SetUp();
    if (IsSkipped()) return;
    constant_ = tactic("matmul");
    runtime_ = tactic("runtime_matmul");
    ASSERT_TRUE(constant_ && runtime_);
  }
  // Both tactics: b as a constant (f32, packed) and b computed.
  void check(CheckCall call) const {
    call.output_dtype = dtype();
    for (size_t i = 0; i < 2; ++i) call.inputs[i].dtype = dtype();
    testing::expect_matches_reference(*runtime_, call, tolerance());
    call.inputs[1] = {.dims = call.inputs[1].dims, .constant = true};
    testing::expect_matches_reference(*constant_, call, tolerance());
  }
  const Tactic* constant_ = nullptr;
  const Tactic* runtime_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Levels, GemmMatMul, gemm_levels(), gemm_level_name);

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

TEST_P(GemmMatMul, HandlesRowsAndDepthsThatFillNoTile) {
  for (const int64_t depth : {15, 31, 32, 33, 40, 65, 80, 100})
    for (const int64_t rows : {1, 15, 16, 17, 49}) check(matmul({rows, depth}, {depth, 40}, 0));
}

// A product that leaves the model is f32 where its inputs are bf16: no rounding but theirs and the weights'.
TEST_P(GemmMatMul, WritesF32) {
  for (const int64_t columns : {7, 16, 33, 64}) {
    CheckCall call = matmul({19, 40}, {40, columns}, 0);
    call.inputs[0].dtype = dtype();
    call.inputs[1].constant = true;
    call.output_dtype = DType::f32;
    testing::expect_matches_reference(*constant_, call, tolerance());
    call.epilogues = {{.kind = Kind::add, .input = 2}, {.kind = Kind::relu}};
    call.epilogue_inputs = {{.dims = {19, columns}}};
    testing::expect_matches_reference(*constant_, call, tolerance());
    call.epilogues[1].kind = Kind::silu;
    testing::expect_matches_reference(*constant_, call, tolerance());
  }
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

TEST_P(GemmMatMul, TakesAMatrixThatLiesTransposed) {
  // As attention's keys: a Transpose before MatMul changes the order of b's axes and moves nothing.
  for (const int64_t depth : {1, 3, 8, 21}) {
    CheckCall call = matmul({2, 7, depth}, {2, depth, 35}, 1);
    call.inputs[0].dtype = call.inputs[1].dtype = call.output_dtype = dtype();
    call.inputs[1].channels_last = true;  // of [n, depth, columns]: depth is innermost
    testing::expect_matches_reference(*runtime_, call, tolerance());
  }
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
  call.output_dtype = call.inputs[0].dtype = dtype();
  EXPECT_EQ(testing::refusal(*constant_, call), "b is computed at run time");
  call = matmul({5}, {5, 4}, 0);
  call.output_dtype = call.inputs[0].dtype = dtype();
  EXPECT_EQ(testing::refusal(*runtime_, call), "a vector: needs matrices");
  call = {.op = "Gemm", .attrs = ops::Attrs::of(ops::GemmAttrs{.beta = 2}), .row_axis = 0};
  call.inputs = {{.dims = {2, 5}, .dtype = dtype()}, {.dims = {5, 4}}, {.dims = {4}}};
  call.output_dtype = dtype();
  EXPECT_EQ(testing::refusal(*runtime_, call), "beta is 2, needs 1 or 0");
}

}  // namespace
}  // namespace memline::cpu

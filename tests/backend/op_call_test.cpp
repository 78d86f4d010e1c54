// The text form of a call: what engines store and the timing cache is keyed by.
#include "backend/op_call.h"

#include <gtest/gtest.h>

#include "ops/registry.h"

namespace memline {
namespace {

CallOperand tensor(std::vector<DimExpr> dims, AxisOrder order, std::vector<int64_t> max_dims = {}) {
  CallOperand operand{.type = {DType::f32, std::move(dims)}, .order = order};
  for (const DimExpr& dim : operand.type.dims)
    if (dim.is_constant()) operand.max_dims.push_back(*dim.constant());
  if (!max_dims.empty()) operand.max_dims = std::move(max_dims);
  return operand;
}

void expect_same(const OpCall& a, const OpCall& b) {
  EXPECT_EQ(a.op, b.op);
  EXPECT_EQ(a.attrs, b.attrs);
  EXPECT_EQ(a.base_inputs, b.base_inputs);
  EXPECT_EQ(a.epilogues, b.epilogues);
  EXPECT_EQ(a.row_axis, b.row_axis);
  const auto same = [](const std::vector<CallOperand>& left, const std::vector<CallOperand>& right) {
    ASSERT_EQ(left.size(), right.size());
    for (size_t i = 0; i < left.size(); ++i) {
      EXPECT_EQ(left[i].present, right[i].present);
      if (!left[i].present) continue;
      EXPECT_EQ(left[i].type, right[i].type);
      EXPECT_EQ(left[i].max_dims, right[i].max_dims);
      EXPECT_EQ(left[i].order, right[i].order);
      EXPECT_EQ(left[i].is_constant, right[i].is_constant);
    }
  };
  same(a.in, b.in);
  same(a.out, b.out);
}

void expect_reads_back(const OpCall& call) {
  const Result<OpCall> again = OpCall::parse(call.text());
  ASSERT_TRUE(again) << again.error().message;
  expect_same(call, *again);
  EXPECT_EQ(again->text(), call.text());
}

OpCall fused_conv() {
  const ops::OpDef* conv = ops::find("Conv");
  EXPECT_NE(conv, nullptr);
  OpCall call{.op = conv, .attrs = *conv->parse_attrs("pads=[1,1,1,1]")};
  call.in = {tensor({1, 16, 320, 320}, AxisOrder::channels_last(4)),
             tensor({32, 16, 3, 3}, AxisOrder::row_major(4)),
             {.present = false},
             tensor({32}, AxisOrder::row_major(1))};
  call.in[1].is_constant = call.in[3].is_constant = true;
  call.base_inputs = 3;
  call.epilogues = {{.kind = ops::EpilogueKind::bias, .input = 3},
                    {.kind = ops::EpilogueKind::clip, .a = 0, .b = 0.1f},
                    {.kind = ops::EpilogueKind::silu}};
  call.out = {tensor({1, 32, 320, 320}, AxisOrder::channels_last(4))};
  return call;
}

OpCall identity() {
  const ops::OpDef* op = ops::find("Identity");
  return {.op = op, .attrs = *op->parse_attrs(""), .base_inputs = 1};
}

TEST(OpCallText, IsOneLineThatAPersonCanRead) {
  OpCall call = fused_conv();
  call.epilogues.erase(call.epilogues.begin() + 1);
  EXPECT_EQ(call.text(),
            "Conv(f32[1,16,320,320]@0231, const f32[32,16,3,3]@0123, _; const f32[32]@0) pads=[1,1,1,1] | bias(3) silu "
            "-> f32[1,32,320,320]@0231");
}

TEST(OpCallText, ReadsBackWithEpiloguesAbsentInputsAndConstants) { expect_reads_back(fused_conv()); }

TEST(OpCallText, ReadsBackWithExpressionsAsExtents) {
  const DimExpr n = DimExpr::slot(0), h = DimExpr::slot(1);
  OpCall call = identity();
  const std::vector<DimExpr> dims = {n * DimExpr(4) + DimExpr(3), floor_div(h + DimExpr(31), 32), 7};
  call.in = call.out = {tensor(dims, AxisOrder::channels_last(3), {35, 20, 7})};
  EXPECT_NE(call.text().find("<=[35,20,7]"), std::string::npos);
  expect_reads_back(call);
}

TEST(OpCallText, ReadsBackScalarsRowAxesAndOtherTypes) {
  OpCall call = identity();
  call.in = call.out = {tensor({}, AxisOrder::row_major(0))};
  call.in[0].type.dtype = call.out[0].type.dtype = DType::i64;
  call.row_axis = 0;
  EXPECT_EQ(call.text(), "Identity(i64[]@) -> i64[]@ rows=0");
  expect_reads_back(call);
}

TEST(OpCallText, ReadsBackAFixedShapeWithALargerBound) {
  OpCall call = identity();
  call.in = call.out = {tensor({4}, AxisOrder::row_major(1), {8})};
  expect_reads_back(call);
}

TEST(OpCallText, KeepsAnOpsDomain) {
  const ops::OpDef* copy = ops::find("Copy", "memline");
  ASSERT_NE(copy, nullptr);
  OpCall call{.op = copy, .attrs = *copy->parse_attrs(""), .base_inputs = 1};
  call.in = {tensor({1, 3, 8, 8}, AxisOrder::row_major(4))};
  call.out = {tensor({1, 3, 8, 8}, AxisOrder::channels_last(4))};
  EXPECT_EQ(call.text(), "memline.Copy(f32[1,3,8,8]@0123) -> f32[1,3,8,8]@0231");
  expect_reads_back(call);
}

TEST(OpCallText, ThatIsCutAnywhereIsAnErrorOrAnotherCall) {
  const std::string text = fused_conv().text();
  for (size_t size = 0; size < text.size(); ++size) {
    const Result<OpCall> call = OpCall::parse(std::string_view(text).substr(0, size));
    if (call) {
      EXPECT_EQ(call->text(), text.substr(0, size));
    }
  }
}

TEST(OpCallText, WithAnyCharacterReplacedIsAnErrorOrReadsBack) {
  const std::string text = fused_conv().text();
  for (size_t at = 0; at < text.size(); ++at) {
    for (const char other : {'\0', '(', ')', '[', ']', ',', ' ', '"', '\\', '9', '-', '@', ';', '|', '_'}) {
      std::string changed = text;
      changed[at] = other;
      if (const Result<OpCall> call = OpCall::parse(changed)) {
        EXPECT_TRUE(OpCall::parse(call->text()));
      }
    }
  }
}

TEST(OpCallText, NamesWhatIsWrong) {
  const auto message = [](std::string_view text) {
    const Result<OpCall> call = OpCall::parse(text);
    return call ? std::string("none") : call.error().message;
  };
  EXPECT_NE(message("NoSuchOp(f32[1]@0) -> f32[1]@0").find("no operator 'NoSuchOp'"), std::string::npos);
  EXPECT_NE(message("Identity(f32[1]@0)").find("no outputs"), std::string::npos);
  EXPECT_NE(message("Identity(f32[1,2]@00) -> f32[1]@0").find("'00' is no order of 2 axes"), std::string::npos);
  EXPECT_NE(message("Identity(f32[1,2]@012) -> f32[1]@0").find("is no order of 2 axes"), std::string::npos);
  EXPECT_NE(message("Identity(f32[s0]@0) -> f32[1]@0").find("has no largest extents"), std::string::npos);
  EXPECT_NE(message("Identity(f32[s0]@0<=[1,2]) -> f32[1]@0").find("2 largest extents"), std::string::npos);
  EXPECT_NE(message("Identity(f32[-1]@0) -> f32[1]@0").find("Identity"), std::string::npos);
  EXPECT_NE(message("Identity(f32[1]@0) | bias(1) -> f32[1]@0").find("reads an input"), std::string::npos);
  EXPECT_NE(message("Identity(f32[1]@0) -> f32[1]@0 rows=9").find("no row axis"), std::string::npos);
}

}  // namespace
}  // namespace memline

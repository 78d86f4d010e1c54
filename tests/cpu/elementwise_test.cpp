// Elementwise functions against the reference, each level that this CPU runs.
#include <cmath>
#include <limits>
#include "cpu/families.h"

#include "ops/registry.h"
#include "ops/unary.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;
using testing::CheckInput;
using Kind = ops::EpilogueKind;

constexpr testing::Tolerance kExact{};
constexpr testing::Tolerance kF32{.relative = 1e-6, .absolute = 1e-6};

class Elementwise : public FamilyTest {
 protected:
  void expect(const CheckCall& call, testing::Tolerance tolerance = kF32) const {
    expect_matches_reference(tactic("elementwise"), call, tolerance);
  }
};
INSTANTIATE_TEST_SUITE_P(Levels, Elementwise, ::testing::Values(CpuLevel::avx2, CpuLevel::avx512), level_of);

CheckCall unary(std::string_view op, ops::Attrs attrs = {}) {
  CheckCall call{.op = op, .attrs = std::move(attrs), .output_channels_last = true};
  call.inputs = {{.dims = {2, 19, 3, 5}, .channels_last = true}};
  return call;
}

CheckCall binary(std::string_view op, std::vector<int64_t> x, std::vector<int64_t> y) {
  CheckCall call{.op = op, .output_channels_last = true};
  call.inputs = {{.dims = std::move(x), .channels_last = true}, {.dims = std::move(y), .channels_last = true}};
  return call;
}

TEST_P(Elementwise, UnaryFunctionsMatchTheReference) {
  for (const char* op : {"Relu", "Neg", "Abs", "Floor", "Ceil", "Round"}) expect(unary(op), kExact);
  for (const char* op : {"Sigmoid", "Tanh", "Mish", "Exp", "Erf", "Softplus", "Sin", "Cos", "HardSwish"})
    expect(unary(op));
  expect(unary("HardSigmoid", ops::Attrs::of(ops::HardSigmoidAttrs{})));
  expect(unary("LeakyRelu", ops::Attrs::of(ops::LeakyReluAttrs{})));
  expect(unary("Elu", ops::Attrs::of(ops::EluAttrs{})));
  expect(unary("Gelu", ops::Attrs::of(ops::GeluAttrs{})));
  expect(unary("Gelu", ops::Attrs::of(ops::GeluAttrs{.approximate = "tanh"})), {.absolute = 1e-5});
}

TEST_P(Elementwise, FunctionsOfPositiveNumbersMatchTheReference) {
  for (const char* op : {"Log", "Sqrt", "Reciprocal"}) {
    CheckCall call{.op = op};
    call.inputs = {{.dims = {1, 7}, .values = {0.001, 0.5, 1, 2, 10, 1e6, 3.25}}};
    expect(call, {.relative = 1e-7});
  }
}

TEST_P(Elementwise, BinaryFunctionsMatchTheReferenceOnEqualShapes) {
  for (const char* op : {"Add", "Sub", "Mul", "Min", "Max", "PRelu", "Sum"})
    expect(binary(op, {2, 19, 3, 5}, {2, 19, 3, 5}), kExact);
}

TEST_P(Elementwise, OperandsBroadcast) {
  for (const char* op : {"Add", "Sub", "Mul"}) {
    expect(binary(op, {2, 19, 3, 5}, {1, 19, 1, 1}), kExact);
    expect(binary(op, {2, 19, 1, 1}, {2, 19, 3, 5}), kExact);
    expect(binary(op, {2, 19, 3, 5}, {}), kExact);
    expect(binary(op, {2, 1, 3, 1}, {1, 19, 1, 5}), kExact);
    expect(binary(op, {5}, {2, 19, 3, 1}), kExact);
  }
}

TEST_P(Elementwise, LargeTensorsAreSharedOut) {
  CheckCall call = binary("Add", {1, 40, 33, 33}, {1, 40, 33, 33});
  call.row_axis = 0;
  expect(call, kExact);
}

TEST_P(Elementwise, OperandsMayLieInDifferentOrders) {
  CheckCall call = binary("Add", {2, 19, 3, 5}, {2, 19, 3, 5});
  call.inputs[1].channels_last = false;
  expect(call, kExact);
  call.output_channels_last = false;
  expect(call, kExact);
}

TEST_P(Elementwise, DivisionAndPowersMatchTheReference) {
  CheckCall call{.op = "Div"};
  call.inputs = {{.dims = {3, 4}}, {.dims = {4}, .values = {1, -2, 3, 0.5}}};
  expect(call, kExact);
  for (const double exponent : {2.0, 1.0, -1.0, 3.0, 0.0}) {
    CheckCall power{.op = "Pow"};
    power.inputs = {{.dims = {3, 37}}, {.dims = {}, .values = {exponent}}};
    expect(power, {.relative = 1e-7});
  }
}

TEST_P(Elementwise, ClipTakesItsEndsFromInputs) {
  CheckCall call = unary("Clip");
  expect(call, kExact);
  call.inputs.push_back({.dims = {}, .constant = true, .values = {-0.25}});
  expect(call, kExact);
  call.inputs.push_back({.dims = {}, .values = {0.5}});
  expect(call, kExact);
  call.inputs[1].present = false;
  expect(call, kExact);
}

TEST_P(Elementwise, AppliesEpilogues) {
  CheckCall call = binary("Mul", {2, 19, 3, 5}, {2, 19, 1, 1});
  call.epilogues = {{.kind = Kind::bias, .input = 2}, {.kind = Kind::silu}, {.kind = Kind::add, .input = 3}};
  call.epilogue_inputs = {{.dims = {19}}, {.dims = {2, 19, 3, 5}, .channels_last = true}};
  expect(call);
}

TEST_P(Elementwise, StoresBf16) {
  CheckCall call = binary("Add", {2, 19, 3, 5}, {1, 19, 1, 1});
  call.inputs[0].dtype = call.inputs[1].dtype = call.output_dtype = DType::bf16;
  expect(call, {.relative = 4e-3});
}

TEST_P(Elementwise, EmptyTensorsAreLegal) { expect(binary("Add", {0, 19, 3, 5}, {1, 19, 1, 1})); }

TEST_P(Elementwise, NaNSurvivesMinMaxReluAndClip) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* op : {"Min", "Max"})
    for (const bool first : {true, false}) {
      float x[2] = {first ? static_cast<float>(nan) : 1.0f, 3.0f},
            y[2] = {first ? 1.0f : static_cast<float>(nan), 2.0f};
      float out[2] = {};
      OpCall call;
      call.op = ops::find(op);
      for (int i = 0; i < 3; ++i) {
        CallOperand operand{.type = {DType::f32, {2}}, .max_dims = {2}, .order = AxisOrder::row_major(1)};
        i < 2 ? call.in.push_back(operand) : call.out.push_back(operand);
      }
      call.base_inputs = 2;
      const auto kernel = tactic("elementwise").make(call, {});
      const std::vector<int64_t> dims = {2};
      const TensorView in[2] = {dense_view(DType::f32, x, dims), dense_view(DType::f32, y, dims)};
      TensorView result = dense_view(DType::f32, out, dims);
      Serial serial;
      ASSERT_TRUE((*kernel)->run({.in = in, .out = {&result, 1}, .parallel = &serial}).ok());
      EXPECT_TRUE(std::isnan(out[0])) << op << " NaN first " << first;
      EXPECT_EQ(out[1], op == std::string_view("Min") ? 2.0f : 3.0f);
    }
}

TEST_P(Elementwise, RefusesIntegers) {
  CheckCall call{.op = "Add", .output_dtype = DType::i64};
  call.inputs = {{.dims = {3}, .dtype = DType::i64}, {.dims = {3}, .dtype = DType::i64}};
  EXPECT_EQ(refusal(tactic("elementwise"), call), "the output is i64, needs f32 or bf16");
}

}  // namespace
}  // namespace memline::cpu

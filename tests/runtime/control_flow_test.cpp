// Steps that are not kernels, and extents that only steps know.
#include "runtime/session_fixture.h"

namespace memline::runtime {
namespace {

using engine::Step;
using engine::StepKind;

const TensorType kOneBool{DType::boolean, {1}};
const TensorType kOneI64{DType::i64, {1}};

TensorView scalar(bool& value) { return dense_view(DType::boolean, &value, std::array<int64_t, 1>{1}); }
TensorView scalar(int64_t& value) { return dense_view(DType::i64, &value, std::array<int64_t, 1>{1}); }

int32_t index_of(const DimExpr& slot) { return *slot.slot_index(); }

TEST_F(SessionTest, ABranchRunsTheBlockThatItsConditionNames) {
  ProgramBuilder b;
  const TensorType type{DType::f32, {4}};
  const Operand x = b.input("x", type), flag = b.input("flag", kOneBool), y = b.output("y", type);
  const int32_t yes = b.block(), no = b.block();
  b.add({.kind = StepKind::branch, .name = "if", .in = {flag}, .blocks = {yes, no}});
  b.kernel("then", "Identity", {x}, {y}, static_cast<size_t>(yes));
  b.kernel("else", "Neg", {x}, {y}, static_cast<size_t>(no));
  const auto session = make(b.take());
  Floats in({4}), out({4});
  for (bool choice : {true, false, true}) {
    const TensorView inputs[] = {in.view, scalar(choice)};
    ASSERT_TRUE(session->run(inputs, {&out.view, 1}).ok());
    EXPECT_EQ(out.values[3], choice ? 3.0f : -3.0f);
  }
}

// y = x + x + ... : `trips` times, while `go` holds.
engine::Program loop_program(bool with_condition) {
  ProgramBuilder b;
  const TensorType type{DType::f32, {4}};
  const Operand x = b.input("x", type), trips = b.input("trips", kOneI64), go = b.input("go", kOneBool);
  const Operand y = b.output("y", type);
  const DimExpr round = b.slot("round", {0, 9});
  const int32_t body = b.block();
  b.kernel("start", "Sub", {x, x}, {y});
  Step loop{.kind = StepKind::loop, .name = "loop", .in = {trips, {.present = false}}, .blocks = {body}};
  if (with_condition) loop.in[1] = go;
  loop.iteration_slot = index_of(round);
  b.add(std::move(loop));
  b.kernel("body", "Add", {y, x}, {y}, static_cast<size_t>(body));
  return b.take();
}

TEST_F(SessionTest, ALoopRunsItsBodyAsOftenAsItsTripCountSays) {
  const auto session = make(loop_program(false));
  Floats x({4}), y({4});
  bool go = true;
  for (int64_t trips : {3, 0, 10, 1}) {
    const TensorView inputs[] = {x.view, scalar(trips), scalar(go)};
    ASSERT_TRUE(session->run(inputs, {&y.view, 1}).ok());
    EXPECT_EQ(y.values[2], 2.0f * static_cast<float>(trips));
  }
}

TEST_F(SessionTest, ALoopStopsWhenItsConditionIsFalse) {
  const auto session = make(loop_program(true));
  Floats x({4}), y({4});
  bool go = false;
  int64_t trips = 5;
  const TensorView inputs[] = {x.view, scalar(trips), scalar(go)};
  ASSERT_TRUE(session->run(inputs, {&y.view, 1}).ok());
  EXPECT_EQ(y.values[2], 0.0f);
}

TEST_F(SessionTest, ALoopThatRunsBeyondItsBoundFailsAloneAndNamesItself) {
  const auto session = make(loop_program(false));
  Floats x({4}), y({4});
  bool go = true;
  int64_t trips = 11;
  TensorView inputs[] = {x.view, scalar(trips), scalar(go)};
  const RunStatus status = session->run(inputs, {&y.view, 1});
  EXPECT_EQ(status.code, Code::invalid_argument);
  EXPECT_EQ(session->explain(status), "step 1 'loop': a loop runs longer than its bound");
  trips = 2;
  EXPECT_TRUE(session->run(inputs, {&y.view, 1}).ok());
}

TEST_F(SessionTest, ABodyFindsItsRoundInTheIterationSlot) {
  ProgramBuilder b;
  const DimExpr round = b.slot("round", {0, 3});
  const TensorType row{DType::f32, {1, 2}}, all{DType::f32, {4, 2}};
  const Operand x = b.input("x", all), trips = b.input("trips", kOneI64), y = b.output("y", all);
  const int32_t body = b.block();
  Step loop{.kind = StepKind::loop, .name = "loop", .in = {trips, {.present = false}}, .blocks = {body}};
  loop.iteration_slot = index_of(round);
  b.add(std::move(loop));
  Operand from = operand(memory::Region::input, round * DimExpr(8), row, 0);
  Operand to = operand(memory::Region::output, (DimExpr(3) - round) * DimExpr(8), row, 0);
  b.kernel("reverse", "Identity", {from}, {to}, static_cast<size_t>(body));
  const auto session = make(b.take());
  Floats in({4, 2}), out({4, 2});
  int64_t count = 4;
  const TensorView inputs[] = {in.view, scalar(count)};
  ASSERT_TRUE(session->run(inputs, {&out.view, 1}).ok());
  EXPECT_EQ(out.values, (std::vector<float>{6, 7, 4, 5, 2, 3, 0, 1}));
}

TEST_F(SessionTest, AHostEvalSetsSlotsThatLaterStepsUse) {
  ProgramBuilder b;
  const DimExpr n = b.slot("n", {2, 8}, 0, 0), half = b.slot("half", {1, 4});
  const Operand x = b.input("x", {DType::f32, {n}}), y = b.output("y", {DType::f32, {half}});
  b.add({.kind = StepKind::host_eval, .name = "sizes", .assigns = {{index_of(half), floor_div(n, 2)}}});
  b.kernel("copy", "Identity", {operand(memory::Region::input, 0, {DType::f32, {half}}, 0)}, {y});
  const auto session = make(b.take());
  for (const int64_t size : {6, 3, 8}) {
    Floats in({size}), out({4});
    ASSERT_TRUE(session->run({&in.view, 1}, {&out.view, 1}).ok());
    EXPECT_EQ(out.view.dim(0), size / 2);
  }
}

TEST_F(SessionTest, AnAssignedSlotOutsideItsRangeFailsTheRun) {
  ProgramBuilder b;
  const DimExpr n = b.slot("n", {2, 8}, 0, 0), half = b.slot("half", {1, 3});
  b.input("x", {DType::f32, {n}});
  b.add({.kind = StepKind::host_eval, .name = "sizes", .assigns = {{index_of(half), floor_div(n, 2)}}});
  const auto session = make(b.take());
  Floats in({8});
  const RunStatus status = session->run({&in.view, 1}, {});
  EXPECT_EQ(session->explain(status), "step 0 'sizes': a computed extent is outside its range");
}

// Keeps the values that are not negative: a step whose output size depends on data.
class KeepKernel final : public Kernel {
 public:
  explicit KeepKernel(int64_t claim) : claim_(claim) {}
  RunStatus run(const KernelArgs& args) noexcept override {
    int64_t kept = 0;
    for (int64_t i = 0; i < args.in[0].dim(0); ++i)
      if (args.in[0].as<float>()[i] >= 0) args.out[0].as<float>()[kept++] = args.in[0].as<float>()[i];
    args.out[0].dims[0] = kept + claim_;
    return {};
  }

 private:
  int64_t claim_;
};

class KeepTactic final : public Tactic {
 public:
  explicit KeepTactic(int64_t claim = 0) : claim_(claim) {}
  std::string_view name() const override { return "fake.keep"; }
  Support supports(const OpCall&) const override { return Support::yes(); }
  Workspace workspace(const OpCall&, int) const override { return {}; }
  double stored_cost(const OpCall&) const override { return 1; }
  Result<std::unique_ptr<Kernel>> make(const OpCall&, std::span<const std::byte>) const override {
    return std::make_unique<KeepKernel>(claim_);
  }

 private:
  int64_t claim_;
};

engine::Program keep_program() {
  ProgramBuilder b;
  const DimExpr n = b.slot("n", {1, 8}, 0, 0), count = b.slot("kept", {0, 8});
  const TensorType kept{DType::f32, {count}};
  const Operand x = b.input("x", {DType::f32, {n}}), y = b.output("y", kept), middle = b.arena(kept);
  Step& keep = b.kernel("keep", "Identity", {x}, {middle});
  keep.tactic = "fake.keep";
  keep.tactic_version = 1;
  keep.counts = {{0, 0, index_of(count)}};
  b.kernel("negate", "Neg", {middle}, {y});
  return b.take();
}

TEST_F(SessionTest, ACountIsKnownWhenItsStepHasRun) {
  backend_.add(std::make_unique<KeepTactic>());
  const auto session = make(keep_program());
  for (const std::vector<float>& values : {std::vector<float>{1, -1, 2, -2, 3}, std::vector<float>{-1},
                                           std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, std::vector<float>{-5, 4}}) {
    Floats in({static_cast<int64_t>(values.size())}), out({8});
    std::ranges::copy(values, in.values.begin());
    ASSERT_TRUE(session->run({&in.view, 1}, {&out.view, 1}).ok());
    std::vector<float> expected;
    for (const float value : values)
      if (value >= 0) expected.push_back(-value);
    EXPECT_EQ(floats_of(out.view), expected);
  }
}

TEST_F(SessionTest, ACountAboveItsBoundFailsTheRun) {
  backend_.add(std::make_unique<KeepTactic>(1));
  const auto session = make(keep_program());
  Floats in({8}), out({8});
  const RunStatus status = session->run({&in.view, 1}, {&out.view, 1});
  EXPECT_EQ(status.code, Code::invalid_argument);
  EXPECT_EQ(session->explain(status), "step 0 'keep': a step counted more than its bound");
}

TEST_F(SessionTest, AConditionOnACountIsCheckedWhenTheCountIsKnown) {
  backend_.add(std::make_unique<KeepTactic>());
  engine::Program program = keep_program();
  program.conditions.push_back({mod(DimExpr::slot(1), 2), 0, "Reshape 'pairs'"});
  const auto session = make(std::move(program));
  Floats even({2}), odd({3}), out({8});
  EXPECT_TRUE(session->run({&even.view, 1}, {&out.view, 1}).ok());
  const RunStatus status = session->run({&odd.view, 1}, {&out.view, 1});
  EXPECT_EQ(status.code, Code::invalid_argument);
  EXPECT_EQ(status.step, 0);
  EXPECT_EQ(backend_.device.ran, 1);
  EXPECT_EQ(session->explain(status).find("Reshape 'pairs'"), 0u) << session->explain(status);
}

TEST_F(SessionTest, AStepOfABandComputesItsRowsOnly) {
  struct RowsKernel final : Kernel {
    RunStatus run(const KernelArgs& args) noexcept override {
      for (int64_t row = args.rows.begin; row < args.rows.end; ++row)
        args.out[0].as<float>()[row * args.out[0].stride(0)] = args.in[0].as<float>()[row * args.in[0].stride(0)];
      return {};
    }
  };
  struct RowsTactic final : Tactic {
    std::string_view name() const override { return "fake.rows"; }
    Support supports(const OpCall&) const override { return Support::yes(); }
    Workspace workspace(const OpCall&, int) const override { return {}; }
    double stored_cost(const OpCall&) const override { return 1; }
    Result<std::unique_ptr<Kernel>> make(const OpCall&, std::span<const std::byte>) const override {
      return std::make_unique<RowsKernel>();
    }
  };
  backend_.add(std::make_unique<RowsTactic>());
  ProgramBuilder b;
  const TensorType type{DType::f32, {8, 1}};
  const Operand x = b.input("x", type), y = b.output("y", type);
  Step& step = b.kernel("rows", "Identity", {x}, {y});
  step.tactic = "fake.rows";
  step.tactic_version = 1;
  step.call += " rows=0";
  step.whole = false;
  step.row_begin = 2;
  step.row_end = 5;
  const auto session = make(b.take());
  Floats in({8, 1}), out({8, 1}, 0);
  ASSERT_TRUE(session->run({&in.view, 1}, {&out.view, 1}).ok());
  EXPECT_EQ(out.values, (std::vector<float>{0, 0, 2, 3, 4, 0, 0, 0}));
}

}  // namespace
}  // namespace memline::runtime

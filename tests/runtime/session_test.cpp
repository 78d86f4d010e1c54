#include "runtime/session.h"

#include "runtime/session_fixture.h"

namespace memline::runtime {
namespace {

using testing::kFakeKernelBytes;

TEST_F(SessionTest, RunsOnTheCallersMemory) {
  const auto session = make(negate_program());
  Floats x({2, 4}), y({2, 4}, 100);
  ASSERT_TRUE(session->run({&x.view, 1}, {&y.view, 1}).ok());
  EXPECT_EQ(y.values, (std::vector<float>{-0.f, -1, -2, -3, -4, -5, -6, -7}));
  EXPECT_EQ(y.view.dim(0), 2);
}

TEST_F(SessionTest, RunsOnItsOwnMemoryWhenTheCallerGivesNone) {
  const auto session = make(negate_program());
  const int64_t dims[] = {3, 4};
  TensorView x = session->own_input(0, dims), y;
  ASSERT_NE(x.data, nullptr);
  for (int i = 0; i < 12; ++i) x.as<float>()[i] = static_cast<float>(i);
  ASSERT_TRUE(session->run({&x, 1}, {&y, 1}).ok());
  ASSERT_EQ(y.rank, 2);
  EXPECT_EQ(y.dim(0), 3);
  EXPECT_EQ(y.stride(0), 4);
  EXPECT_EQ(floats_of(y)[11], -11.0f);
}

TEST_F(SessionTest, OffersNoInputOutsideTheRange) {
  const auto session = make(negate_program());
  const int64_t zero[] = {0, 4}, nine[] = {9, 4}, other[] = {2, 5}, flat[] = {4};
  for (const std::span<const int64_t> dims : {std::span<const int64_t>(zero), std::span<const int64_t>(nine),
                                              std::span<const int64_t>(other), std::span<const int64_t>(flat)})
    EXPECT_EQ(session->own_input(0, dims).data, nullptr);
  EXPECT_EQ(session->own_input(1, zero).data, nullptr);
}

TEST_F(SessionTest, FollowsShapesAndAddressesFromRunToRun) {
  const auto session = make(negate_program());
  for (const int64_t n : {1, 8, 3, 8, 1, 2}) {
    Floats x({n, 4}, static_cast<float>(n)), y({n, 4});
    ASSERT_TRUE(session->run({&x.view, 1}, {&y.view, 1}).ok());
    EXPECT_EQ(y.view.dim(0), n);
    for (size_t i = 0; i < y.values.size(); ++i) ASSERT_EQ(y.values[i], -x.values[i]);
  }
}

TEST_F(SessionTest, WritesNothingBehindTheOutputOfASmallShape) {
  const auto session = make(negate_program());
  Floats x({1, 4}), y({8, 4}, 100);
  ASSERT_TRUE(session->run({&x.view, 1}, {&y.view, 1}).ok());
  for (size_t i = 4; i < 32; ++i) EXPECT_EQ(y.values[i], static_cast<float>(i) * 100);
}

TEST_F(SessionTest, GivesTheSameBytesAfterBadInputsAsAlone) {
  const auto session = make(negate_program());
  Floats good({2, 4}), alone({2, 4});
  ASSERT_TRUE(session->run({&good.view, 1}, {&alone.view, 1}).ok());
  Floats large({9, 4}), output({9, 4});
  EXPECT_EQ(session->run({&large.view, 1}, {&output.view, 1}).code, Code::invalid_argument);
  TensorView no_data = good.view;
  no_data.data = nullptr;
  EXPECT_EQ(session->run({&no_data, 1}, {&output.view, 1}).code, Code::invalid_argument);
  backend_.device.fail_run = 2;
  EXPECT_EQ(session->run({&good.view, 1}, {&output.view, 1}).code, Code::device_error);
  Floats after({2, 4});
  ASSERT_TRUE(session->run({&good.view, 1}, {&after.view, 1}).ok());
  EXPECT_EQ(after.values, alone.values);
}

TEST_F(SessionTest, RunsNoStepWhenTheInputsAreBad) {
  const auto session = make(negate_program());
  Floats x({9, 4}), y({9, 4});
  EXPECT_FALSE(session->run({&x.view, 1}, {&y.view, 1}).ok());
  EXPECT_EQ(backend_.device.ran, 0);
}

TEST_F(SessionTest, SaysWhichStepFailed) {
  const auto session = make(negate_program());
  Floats x({2, 4}), y({2, 4});
  backend_.device.fail_run = 2;
  const RunStatus status = session->run({&x.view, 1}, {&y.view, 1});
  EXPECT_EQ(status.code, Code::device_error);
  EXPECT_EQ(status.step, 1);
  EXPECT_EQ(session->explain(status), "step 1 'negate': the fake device failed as asked");
}

TEST_F(SessionTest, TimesEachStepWhenAsked) {
  const auto session = make(negate_program());
  Floats x({2, 4}), y({2, 4});
  std::vector<StepTime> times(static_cast<size_t>(session->step_count()));
  ASSERT_EQ(times.size(), 2u);
  ASSERT_TRUE(session->run({&x.view, 1}, {&y.view, 1}, times).ok());
  EXPECT_EQ(times[1].step, 1);
  EXPECT_EQ(session->step(1).name, "negate");
  EXPECT_GT(times[0].nanoseconds, 0);
  EXPECT_GT(times[1].nanoseconds, 0);
}

TEST_F(SessionTest, GivesConstantsInTheWeightsToItsSteps) {
  ProgramBuilder b;
  const TensorType type{DType::f32, {4}};
  const Operand x = b.input("x", type), y = b.output("y", type), w = b.weights(type);
  b.kernel("add", "Add", {x, w}, {y});
  auto session = Session::create(make_engine(b.take(), {10, 20, 30, 40}), backend_, *pool_, {});
  ASSERT_TRUE(session) << session.error().message;
  Floats in({4}), out({4});
  ASSERT_TRUE((*session)->run({&in.view, 1}, {&out.view, 1}).ok());
  EXPECT_EQ(out.values, (std::vector<float>{10, 21, 32, 43}));
}

TEST_F(SessionTest, AcceptsAnEmptyInputWithoutData) {
  ProgramBuilder b;
  const TensorType type{DType::f32, {b.slot("n", {0, 4}, 0, 0), 3}};
  const Operand x = b.input("x", type), y = b.output("y", type);
  b.kernel("copy", "Identity", {x}, {y});
  const auto session = make(b.take());
  const int64_t dims[] = {0, 3};
  const TensorView in = dense_view(DType::f32, nullptr, dims);
  TensorView out;
  ASSERT_TRUE(session->run({&in, 1}, {&out, 1}).ok());
  EXPECT_EQ(out.elements(), 0);
}

TEST_F(SessionTest, WarmsUpWithOneRunWhenAsked) {
  const auto session = make(negate_program(), {.warm_up = true});
  EXPECT_EQ(backend_.device.ran, 2);
}

TEST_F(SessionTest, CannotWarmUpWithoutInputsOfItsOwn) {
  engine::Program program = negate_program();
  program.inputs[0].own_offset = -1;
  const auto session = create(std::move(program), {.warm_up = true});
  ASSERT_FALSE(session);
  EXPECT_NE(session.error().message.find("'x' has no place in the arena"), std::string::npos);
}

TEST_F(SessionTest, NeedsTheCallersOutputWhenItHasNoneOfItsOwn) {
  engine::Program program = negate_program();
  program.outputs[0].own_offset = -1;
  const auto session = make(std::move(program));
  Floats x({2, 4}), y({2, 4});
  TensorView none;
  const RunStatus status = session->run({&x.view, 1}, {&none, 1});
  EXPECT_EQ(status.code, Code::invalid_argument);
  EXPECT_NE(session->explain(status).find("output 'y'"), std::string::npos);
  EXPECT_TRUE(session->run({&x.view, 1}, {&y.view, 1}).ok());
}

TEST_F(SessionTest, GivesEverythingBack) {
  {
    const auto session = make(negate_program());
    EXPECT_EQ(backend_.device.held_bytes, 2 * kFakeKernelBytes);
  }
  EXPECT_EQ(backend_.device.held_bytes, 0);
}

TEST_F(SessionTest, LeavesNothingWhenAKernelCannotBeMade) {
  for (const int failing : {1, 2}) {
    backend_.device.fail_make = failing;
    const auto session = create(negate_program());
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error().code, Code::out_of_memory);
    EXPECT_EQ(backend_.device.held_bytes, 0);
  }
  backend_.device.cap_bytes = 2 * kFakeKernelBytes - 1;
  EXPECT_FALSE(create(negate_program()));
  EXPECT_EQ(backend_.device.held_bytes, 0);
  backend_.device.cap_bytes = 2 * kFakeKernelBytes;
  EXPECT_TRUE(create(negate_program()));
}

TEST_F(SessionTest, TakesFewerThreadsThanTheEngineButNotMore) {
  EXPECT_TRUE(create(negate_program(), {.threads = 1}));
  const auto session = create(negate_program(), {.threads = 2});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, Code::invalid_argument);
  EXPECT_FALSE(create(negate_program(), {.threads = -1}));
}

}  // namespace
}  // namespace memline::runtime

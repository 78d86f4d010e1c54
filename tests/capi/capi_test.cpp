// The C interface as C++ calls it: contracts, errors, and the words that come with them.
#include <gmock/gmock.h>

#include <cstring>
#include <thread>

#include "capi/c_program.h"
#include "model/counted_malloc.h"
#include "support/small_engine.h"

namespace memline {
namespace {

using testing::HasSubstr;

class CApi : public test::SmallEngine {
 protected:
  CApi() {
    EXPECT_EQ(memline_engine_load(path().c_str(), &engine_), MEMLINE_OK) << memline_last_error()->message;
    EXPECT_EQ(memline_session_create(engine_, nullptr, &session_), MEMLINE_OK) << memline_last_error()->message;
  }
  ~CApi() override {
    memline_session_free(session_);
    memline_engine_free(engine_);
  }

  static memline_tensor tensor(std::vector<float>& x, int64_t n, int64_t h) {
    return {MEMLINE_F32, 4, {n, 8, h, 16}, x.data()};
  }
  static void expect_error(memline_code found, memline_code code, const std::string& reason, const std::string& part) {
    EXPECT_EQ(found, code);
    EXPECT_EQ(memline_last_error()->code, code);
    EXPECT_EQ(memline_last_error()->reason, reason);
    EXPECT_THAT(memline_last_error()->message, HasSubstr(part));
  }

  memline_engine* engine_ = nullptr;
  memline_session* session_ = nullptr;
};

TEST_F(CApi, ACProgramRunsAnEngine) {
  const std::vector<float> x = values(1, 8, 1);
  const int64_t dims[] = {1, 8, 8, 16};
  std::vector<float> y(kOutputFloats);
  EXPECT_EQ(c_program_runs(path().c_str(), x.data(), dims, 4, y.data(), y.size()), 0)
      << "line of c_program.c; " << memline_last_error()->message;
}

TEST_F(CApi, AnswersAreThoseOfTheCppInterface) {
  std::vector<float> x = values(2, 6, 3), y(kOutputFloats);
  memline_tensor in = tensor(x, 2, 6), out = {MEMLINE_F32, 0, {}, y.data()};
  ASSERT_EQ(memline_session_run(session_, &in, 1, &out, 1), MEMLINE_OK) << memline_last_error()->message;
  auto engine = Engine::load(path());
  ASSERT_TRUE(engine);
  auto session = engine->make_session();
  ASSERT_TRUE(session);
  const TensorRef cpp_in(DType::f32, x.data(), {2, 8, 6, 16});
  TensorRef cpp_out;
  ASSERT_TRUE(session->run({&cpp_in, 1}, {&cpp_out, 1}));
  ASSERT_EQ(out.rank, cpp_out.rank);
  for (size_t axis = 0; axis < 4; ++axis) EXPECT_EQ(out.dims[axis], cpp_out.dims[axis]);
  EXPECT_EQ(std::memcmp(y.data(), cpp_out.data, sizeof(float) * 2 * 48 * 6 * 16), 0);
}

TEST_F(CApi, AnEngineDescribesItself) {
  memline_port port = {};
  ASSERT_EQ(memline_engine_input(engine_, 0, &port), MEMLINE_OK);
  EXPECT_STREQ(port.name, "x");
  EXPECT_EQ(port.dtype, MEMLINE_F32);
  EXPECT_EQ(std::vector<int64_t>(port.min_dims, port.min_dims + port.rank), (std::vector<int64_t>{1, 8, 4, 16}));
  EXPECT_EQ(std::vector<int64_t>(port.opt_dims, port.opt_dims + port.rank), (std::vector<int64_t>{1, 8, 8, 16}));
  EXPECT_EQ(std::vector<int64_t>(port.max_dims, port.max_dims + port.rank), (std::vector<int64_t>{2, 8, 16, 16}));
  EXPECT_EQ(memline_engine_threads(engine_), 2);
  EXPECT_THAT(memline_engine_target(engine_), testing::StartsWith("cpu "));
  EXPECT_STREQ(memline_engine_about(engine_, "precision"), "fp32");
  EXPECT_EQ(memline_engine_about(engine_, "no such key"), nullptr);
  EXPECT_STREQ(memline_version(), version().c_str());
}

TEST_F(CApi, TheBillAddsUp) {
  memline_bill bill = {};
  ASSERT_EQ(memline_engine_bill(engine_, &bill), MEMLINE_OK);
  EXPECT_EQ(bill.total_bytes, bill.context_bytes + bill.weights_bytes + bill.activations_bytes + bill.workspace_bytes +
                                  bill.io_bytes + bill.kernels_bytes + bill.staging_bytes + bill.results_bytes +
                                  bill.video_bytes);
  EXPECT_EQ(bill.arena_bytes, bill.activations_bytes + bill.workspace_bytes + bill.io_bytes);
  EXPECT_GT(bill.weights_bytes, 0);
}

TEST_F(CApi, FilesThatAreNoEngines) {
  memline_engine* none = nullptr;
  expect_error(memline_engine_load("/no/such/file.mline", &none), MEMLINE_NOT_FOUND, "", "file.mline");
  expect_error(memline_engine_load("/proc/self/exe", &none), MEMLINE_INVALID_ARGUMENT, "engine_not_ours", "exe");
  EXPECT_EQ(none, nullptr);
}

TEST_F(CApi, PointersThatAreNull) {
  memline_engine* engine = nullptr;
  memline_port port = {};
  memline_tensor tensor = {};
  expect_error(memline_engine_load(nullptr, &engine), MEMLINE_INVALID_ARGUMENT, "", "path is NULL");
  expect_error(memline_engine_load("x", nullptr), MEMLINE_INVALID_ARGUMENT, "", "engine is NULL");
  expect_error(memline_engine_input(nullptr, 0, &port), MEMLINE_INVALID_ARGUMENT, "", "engine is NULL");
  expect_error(memline_engine_output(engine_, 0, nullptr), MEMLINE_INVALID_ARGUMENT, "", "port is NULL");
  expect_error(memline_engine_bill(engine_, nullptr), MEMLINE_INVALID_ARGUMENT, "", "bill is NULL");
  expect_error(memline_session_create(nullptr, nullptr, nullptr), MEMLINE_INVALID_ARGUMENT, "", "engine is NULL");
  expect_error(memline_session_create(engine_, nullptr, nullptr), MEMLINE_INVALID_ARGUMENT, "", "session is NULL");
  expect_error(memline_session_run(nullptr, &tensor, 1, &tensor, 1), MEMLINE_INVALID_ARGUMENT, "", "session is NULL");
  expect_error(memline_session_run(session_, nullptr, 1, &tensor, 1), MEMLINE_INVALID_ARGUMENT, "", "input is NULL");
  expect_error(memline_session_own_input(session_, 0, nullptr, 4, &tensor), MEMLINE_INVALID_ARGUMENT, "", "dims");
  EXPECT_EQ(memline_engine_input_count(nullptr) + memline_engine_output_count(nullptr), 0u);
  EXPECT_EQ(memline_engine_threads(nullptr), 0);
  EXPECT_EQ(memline_engine_target(nullptr), nullptr);
  EXPECT_EQ(memline_engine_about(engine_, nullptr), nullptr);
  memline_session_free(nullptr);
  memline_engine_free(nullptr);
}

TEST_F(CApi, RequestsThatAreRefusedLeaveTheSessionAsItWas) {
  std::vector<float> x = values(1, 8, 5), y(kOutputFloats), again(kOutputFloats);
  const memline_tensor good = tensor(x, 1, 8);
  memline_tensor out = {MEMLINE_F32, 0, {}, y.data()};
  ASSERT_EQ(memline_session_run(session_, &good, 1, &out, 1), MEMLINE_OK);
  const auto refused = [&](memline_tensor in, const std::string& part) {
    memline_tensor untouched = {MEMLINE_F32, 0, {}, again.data()};
    expect_error(memline_session_run(session_, &in, 1, &untouched, 1), MEMLINE_INVALID_ARGUMENT, "", part);
    EXPECT_EQ(untouched.rank, 0);
  };
  memline_tensor bad = good;
  bad.dims[0] = 3;
  refused(bad, "must be 1 to 2");
  bad = good;
  bad.dims[2] = 7;
  refused(bad, "nearest shape that works is x=1x8x6x16");
  bad = good;
  bad.rank = 9;
  refused(bad, "rank");
  bad = good;
  bad.rank = -1;
  refused(bad, "rank");
  bad = good;
  bad.dtype = MEMLINE_U8;
  refused(bad, "u8");
  bad = good;
  bad.dtype = static_cast<memline_dtype>(99);
  refused(bad, "99 is no dtype");
  bad = good;
  bad.data = nullptr;
  refused(bad, "x");
  expect_error(memline_session_run(session_, &good, 0, &out, 1), MEMLINE_INVALID_ARGUMENT, "", "0 inputs given");
  expect_error(memline_session_run(session_, &good, 1, &out, 2), MEMLINE_INVALID_ARGUMENT, "", "2 outputs given");
  memline_tensor last = {MEMLINE_F32, 0, {}, again.data()};
  ASSERT_EQ(memline_session_run(session_, &good, 1, &last, 1), MEMLINE_OK);
  EXPECT_EQ(y, again);
}

TEST_F(CApi, RunsOfMixedShapesAllocateNothing) {
  if (test::allocator_calls() < 0) GTEST_SKIP() << "a sanitizer owns malloc here";
  ASSERT_GT(test::allocator_calls(), 0) << "the counter does not count";
  std::vector<float> x = values(2, 16, 7), y(kOutputFloats);
  bool all_ran = true;
  const int64_t before = test::allocator_calls();
  for (int i = 0; i < 100; ++i) {
    const int64_t dims[] = {1 + i % 2, 8, 4 + 2 * (i % 7), 16};
    memline_tensor in = tensor(x, dims[0], dims[2]), out = {MEMLINE_F32, 0, {}, i % 3 == 0 ? nullptr : y.data()};
    if (i % 5 == 0) {
      all_ran &= memline_session_own_input(session_, 0, dims, 4, &in) == MEMLINE_OK;
      std::memcpy(in.data, x.data(), sizeof(float) * static_cast<size_t>(dims[0] * 8 * dims[2] * 16));
    }
    all_ran &= memline_session_run(session_, &in, 1, &out, 1) == MEMLINE_OK;
  }
  EXPECT_EQ(test::allocator_calls() - before, 0);
  EXPECT_TRUE(all_ran) << memline_last_error()->message;
}

TEST_F(CApi, MoreThreadsThanTheEngineHasAreRefused) {
  memline_session* session = nullptr;
  memline_session_options options = {3};
  expect_error(memline_session_create(engine_, &options, &session), MEMLINE_INVALID_ARGUMENT, "", "3 threads");
  options.threads = -1;
  expect_error(memline_session_create(engine_, &options, &session), MEMLINE_INVALID_ARGUMENT, "", "-1 threads");
  EXPECT_EQ(session, nullptr);
}

TEST_F(CApi, AnErrorBelongsToItsThread) {
  memline_port port = {};
  expect_error(memline_engine_input(engine_, 7, &port), MEMLINE_INVALID_ARGUMENT, "", "input 7 does not exist");
  std::thread([&] {
    EXPECT_EQ(memline_last_error()->code, MEMLINE_OK);
    EXPECT_STREQ(memline_last_error()->message, "");
    expect_error(memline_engine_output(engine_, 9, &port), MEMLINE_INVALID_ARGUMENT, "", "output 9");
  }).join();
  EXPECT_THAT(memline_last_error()->message, HasSubstr("input 7"));
  EXPECT_EQ(memline_engine_input(engine_, 0, &port), MEMLINE_OK);
  EXPECT_THAT(memline_last_error()->message, HasSubstr("input 7")) << "a call that succeeds leaves the last error";
}

TEST(CApiCodes, HaveNames) {
  EXPECT_STREQ(memline_code_name(MEMLINE_OVER_BUDGET), "over_budget");
  EXPECT_STREQ(memline_code_name(MEMLINE_OK), "ok");
  EXPECT_STREQ(memline_code_name(static_cast<memline_code>(1)), "internal");
}

}  // namespace
}  // namespace memline

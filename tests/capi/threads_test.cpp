// Many threads: one call at a time for a session, any number of sessions of one engine at once, the same bytes always.
#include <atomic>
#include <cstring>
#include <thread>

#include "base/process.h"
#include "memline/memline.h"
#include "support/small_engine.h"

namespace memline {
namespace {

class CApiThreads : public test::SmallEngine {
 protected:
  CApiThreads() { EXPECT_EQ(memline_engine_load(path().c_str(), &engine_), MEMLINE_OK); }
  ~CApiThreads() override { memline_engine_free(engine_); }

  memline_session* session() const {
    memline_session* made = nullptr;
    EXPECT_EQ(memline_session_create(engine_, nullptr, &made), MEMLINE_OK) << memline_last_error()->message;
    return made;
  }

  // What one thread alone answers to picture `seed`; shapes go with the seed.
  struct Request {
    int64_t n, h;
    std::vector<float> x, y;
  };
  std::vector<Request> requests(int count) const {
    std::vector<Request> all;
    memline_session* alone = session();
    for (int i = 0; i < count; ++i) {
      Request& request = all.emplace_back();
      request.n = 1 + i % 2;
      request.h = 4 + 2 * (i % 7);
      request.x = values(request.n, request.h, static_cast<uint32_t>(i));
      request.y.resize(static_cast<size_t>(request.n * 48 * request.h * 16));
      EXPECT_EQ(run(alone, request, request.y.data()), MEMLINE_OK) << memline_last_error()->message;
    }
    memline_session_free(alone);
    return all;
  }
  static memline_code run(memline_session* session, const Request& request, float* y) {
    const memline_tensor in = {MEMLINE_F32, 4, {request.n, 8, request.h, 16}, const_cast<float*>(request.x.data())};
    memline_tensor out = {MEMLINE_F32, 0, {}, y};
    return memline_session_run(session, &in, 1, &out, 1);
  }
  static bool same(const Request& request, const std::vector<float>& y) {
    return std::memcmp(y.data(), request.y.data(), request.y.size() * sizeof(float)) == 0;
  }

  memline_engine* engine_ = nullptr;
};

TEST_F(CApiThreads, SixteenThreadsOfAThousandRunsGiveTheBytesOfOne) {
  const std::vector<Request> all = requests(16);
  std::atomic<int> failed = 0, different = 0;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      memline_session* own = session();
      std::vector<float> y(kOutputFloats);
      for (size_t i = 0; i < 1000; ++i) {
        const Request& request = all[(t + i) % all.size()];
        std::fill(y.begin(), y.end(), -1.0f);
        if (run(own, request, y.data()) != MEMLINE_OK)
          ++failed;
        else if (!same(request, y))
          ++different;
      }
      memline_session_free(own);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(different, 0);
}

// Threads that share a session are served or refused, never mixed up: what is served has the bytes of its own request.
TEST_F(CApiThreads, ASecondCallerOfASessionIsRefusedAtOnce) {
  const std::vector<Request> all = requests(4);
  memline_session* shared = session();
  std::atomic<int> refused = 0, wrong_error = 0, different = 0;
  std::atomic<int64_t> tries = 0;
  constexpr int64_t kMostTries = 2'000'000;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> y(kOutputFloats);
      while ((refused < 100 && tries++ < kMostTries)) {
        const memline_code code = run(shared, all[t], y.data());
        if (code == MEMLINE_OK) {
          different += !same(all[t], y);
          continue;
        }
        ++refused;
        wrong_error += code != MEMLINE_INVALID_ARGUMENT || std::string("session_busy") != memline_last_error()->reason;
      }
    });
  for (std::thread& thread : threads) thread.join();
  memline_session_free(shared);
  EXPECT_GE(refused, 100) << "in " << tries << " tries no two callers met";
  EXPECT_EQ(wrong_error, 0);
  EXPECT_EQ(different, 0);
}

// A matrix of 4 MiB: were it copied for each session, the process would grow by that.
TEST_F(CApiThreads, SessionsShareWeightsAndThePool) {
  const std::string large = path() + ".large";
  build(test::OnnxModel(13)
            .input("x", {"1", "1024"})
            .output("y")
            .initializer(test::random_weights("w", {1024, 1024}, 1))
            .node(test::OnnxNode("MatMul", {"x", "w"}, {"y"}))
            .bytes(),
        "1x1024", large);
  memline_engine* engine = nullptr;
  memline_bill bill = {};
  ASSERT_EQ(memline_engine_load(large.c_str(), &engine), MEMLINE_OK) << memline_last_error()->message;
  ASSERT_EQ(memline_engine_bill(engine, &bill), MEMLINE_OK);
  ASSERT_GE(bill.weights_bytes, 4 << 20);
  std::vector<float> x(1024, 0.5f);
  const memline_tensor in = {MEMLINE_F32, 2, {1, 1024}, x.data()};
  std::vector<memline_session*> sessions;
  const auto add_session = [&] {
    memline_session* one = nullptr;
    memline_tensor out = {};
    EXPECT_EQ(memline_session_create(engine, nullptr, &one), MEMLINE_OK) << memline_last_error()->message;
    EXPECT_EQ(memline_session_run(one, &in, 1, &out, 1), MEMLINE_OK) << memline_last_error()->message;
    sessions.push_back(one);
  };
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
  };

  add_session();
  auto meter = MemoryMeter::open();
  ASSERT_TRUE(meter);
  MemoryReading first, last;
  const auto threads_before = threads();
  ASSERT_TRUE(meter->read(first));
  constexpr int64_t kMore = 16;
  for (int64_t i = 0; i < kMore; ++i) add_session();
  ASSERT_TRUE(meter->read(last));
  EXPECT_EQ(threads(), threads_before);
  EXPECT_LE((last.resident_bytes - first.resident_bytes) / kMore, bill.arena_bytes + (256 << 10));
  for (memline_session* one : sessions) memline_session_free(one);
  memline_engine_free(engine);
}

}  // namespace
}  // namespace memline

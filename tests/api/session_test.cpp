// The public Session with several threads at it.
#include <atomic>
#include <cstring>
#include <thread>

#include "support/small_engine.h"

namespace memline {
namespace {

class PublicSession : public test::SmallEngine {};

// Threads that share a session are served or refused, never mixed up: what is served has the bytes of its own request.
TEST_F(PublicSession, ASecondCallerIsRefusedAndTouchesNothingOfTheFirst) {
  auto engine = Engine::load(path());
  ASSERT_TRUE(engine) << engine.error().message;
  auto shared = engine->make_session();
  ASSERT_TRUE(shared) << shared.error().message;
  struct Request {
    std::vector<float> x, y;
    TensorRef in;
  };
  const auto run = [&](Session& session, const Request& request, float* y) {
    TensorRef out;
    out.data = y;
    return session.run({&request.in, 1}, {&out, 1});
  };
  std::vector<Request> requests(4);
  for (size_t i = 0; i < requests.size(); ++i) {
    Request& request = requests[i];
    const int64_t h = 4 + 2 * static_cast<int64_t>(i);
    request.x = values(1, h, static_cast<uint32_t>(i));
    request.in = TensorRef(DType::f32, request.x.data(), {1, 8, h, 16});
    request.y.resize(static_cast<size_t>(48 * h * 16));
    ASSERT_TRUE(run(*shared, request, request.y.data()));
  }

  std::atomic<int> refused = 0, wrong_error = 0, different = 0;
  std::atomic<int64_t> tries = 0;
  constexpr int64_t kMostTries = 100'000'000;
  constexpr int kRefusals = 300'000;
  std::vector<std::thread> threads;
  for (const Request& request : requests)
    threads.emplace_back([&] {
      std::vector<float> y(kOutputFloats);
      while (refused < kRefusals && tries++ < kMostTries) {
        const Status status = run(*shared, request, y.data());
        if (!status) {
          ++refused;
          wrong_error += status.error().code != Code::invalid_argument || status.error().reason != "session_busy";
        } else {
          different += std::memcmp(y.data(), request.y.data(), request.y.size() * sizeof(float)) != 0;
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(refused, kRefusals) << "in " << tries << " tries no two callers met";
  EXPECT_EQ(wrong_error, 0);
  EXPECT_EQ(different, 0);
}

}  // namespace
}  // namespace memline

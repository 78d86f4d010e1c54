// The estimate of what tables take, against what the heap says.
#include "engine/context.h"

#include <malloc.h>

#include "engine/file.h"
#include "runtime/session_fixture.h"

namespace memline::runtime {
namespace {

int64_t heap_bytes() {
  const auto info = ::mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

class ContextTest : public SessionTest {
 protected:
  // What the decoded tables and the session made of them take.
  int64_t measured(const std::vector<std::byte>& tables) {
    const int64_t before = heap_bytes();
    engine::Program program = *engine::decode(tables);
    Pages weights = *Pages::take(program.weights_bytes);
    const auto bytes = weights.bytes().first(static_cast<size_t>(program.weights_bytes));
    auto engine = std::make_shared<const engine::Engine>("fake", std::move(program), bytes, nullptr);
    auto session = Session::create(std::move(engine), backend_, *pool_, {});
    EXPECT_TRUE(session) << session.error().message;
    return heap_bytes() - before;
  }
};

TEST_F(ContextTest, TheEstimateOfTablesIsAtLeastWhatTheyTakeAndNotMuchMore) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer owns malloc here";
#endif
  for (const int steps : {10, 100, 1000}) {
    const engine::Program program = testing::long_program(steps);
    const int64_t estimate = engine::table_bytes(program);
    const int64_t taken = measured(engine::encode(program));
    const int64_t kernels = steps * engine::kKernelBytes;  // the fake kernels are smaller
    EXPECT_LE(taken, estimate) << steps;
    EXPECT_LE(estimate - kernels, taken + taken / 8 + 8192) << steps;
  }
}

TEST_F(ContextTest, WorkersAreCountedBesideTheCaller) {
  engine::Program program = negate_program();
  const int64_t alone = engine::context_bytes(program);
  program.threads = 4;
  EXPECT_EQ(engine::context_bytes(program) - alone, 3 * engine::kWorkerBytes);
}

}  // namespace
}  // namespace memline::runtime

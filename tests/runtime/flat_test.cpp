// The promise that a run allocates nothing and touches no new page. This binary counts every call of malloc and its
// kin.
#include <dlfcn.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>

#include "runtime/session_fixture.h"

namespace {
std::atomic<int64_t> allocations = 0;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}
#define MEML_COUNTS_ALLOCATIONS 1
#endif

namespace memline::runtime {
namespace {

int64_t minor_faults() {
  rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

struct Growth {
  int64_t allocations = 0, faults = 0;
};

// 1,000 runs of mixed shapes, after a few that warm the stack.
Growth run_many(Session& session) {
  constexpr int kRuns = 1000, kWarm = 16;
  int64_t allocations_before = 0, faults_before = 0;
  bool all_ok = true;
  for (int i = 0; i < kRuns + kWarm; ++i) {
    if (i == kWarm) {
      allocations_before = allocations;
      faults_before = minor_faults();
    }
    const int64_t dims[] = {1 + i * 5 % 8, 4};
    const TensorView x = session.own_input(0, dims);
    TensorView y;
    all_ok &= session.run({&x, 1}, {&y, 1}).ok() && y.dim(0) == dims[0];
  }
  const Growth growth{allocations - allocations_before, minor_faults() - faults_before};
  EXPECT_TRUE(all_ok);
  return growth;
}

TEST_F(SessionTest, ARunAllocatesNothingAndTouchesNoNewPage) {
#ifndef MEML_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "a sanitizer owns malloc here";
#endif
  const int64_t before = allocations;
  const auto session = make(negate_program());
  EXPECT_GT(allocations, before) << "the counter does not count";
  const Growth growth = run_many(*session);
  EXPECT_EQ(growth.allocations, 0);
  EXPECT_EQ(growth.faults, 0);
}

TEST_F(SessionTest, ARefusedRunAllocatesNothing) {
  const auto session = make(negate_program());
  Floats x({9, 4}), y({9, 4});
  const int64_t before = allocations;
  bool refused = true;
  for (int i = 0; i < 100; ++i) refused &= !session->run({&x.view, 1}, {&y.view, 1}).ok();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(refused);
}

TEST_F(SessionTest, TheWholeArenaIsInMemoryBeforeTheFirstRun) {
#ifndef MEML_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "a sanitizer's shadow memory comes in page by page here";
#endif
  engine::Program program = negate_program();
  program.arena_bytes += 8 << 20;
  const int64_t before = minor_faults();
  const auto session = make(std::move(program));
  EXPECT_GT(minor_faults(), before);
  const int64_t dims[] = {8, 4};
  const TensorView x = session->own_input(0, dims);
  ASSERT_NE(x.data, nullptr);
  const int64_t faults = minor_faults();
  std::memset(x.data, 1, static_cast<size_t>(x.elements()) * 4);
  EXPECT_EQ(minor_faults(), faults);
}

}  // namespace
}  // namespace memline::runtime

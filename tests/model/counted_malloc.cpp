#include "model/counted_malloc.h"

#include <atomic>
#include <cstdlib>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
std::atomic<int64_t> calls = 0;
}

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  ++calls;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  ++calls;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  ++calls;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  ++calls;
  return __libc_memalign(alignment, size);
}
}

int64_t memline::test::allocator_calls() { return calls; }

#else

int64_t memline::test::allocator_calls() { return -1; }

#endif

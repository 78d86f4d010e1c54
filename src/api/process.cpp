#include "api/process.h"

#include <mutex>

namespace memline::api {

Result<std::shared_ptr<ThreadPool>> shared_pool() {
  static std::mutex mutex;
  static std::weak_ptr<ThreadPool> current;  // one pool a process is the promise; this is where it is kept
  const std::lock_guard lock(mutex);
  if (auto pool = current.lock()) return pool;
  MEML_TRY(std::shared_ptr<ThreadPool> pool, ThreadPool::create());
  current = pool;
  return pool;
}

}  // namespace memline::api

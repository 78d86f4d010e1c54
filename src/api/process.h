// What the engines of one process share: its thread pool. Made with the first engine or build, gone with the last.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/threads.h"

namespace memline::api {

Result<std::shared_ptr<ThreadPool>> shared_pool();

}  // namespace memline::api

// What stands behind the public Engine and Session.
#pragma once

#include <atomic>

#include "backend/backend.h"
#include "base/threads.h"
#include "engine/engine.h"
#include "memline/memline.hpp"
#include "runtime/session.h"

namespace memline {

struct Engine::Impl {
  std::shared_ptr<ThreadPool> pool;
  std::shared_ptr<const Backend> backend;
  std::shared_ptr<const engine::Engine> engine;
  std::vector<PortInfo> inputs, outputs;
};

struct Session::Impl {
  std::shared_ptr<const Engine::Impl> engine;
  std::unique_ptr<runtime::Session> session;
  // One an input and output: a run fills them, so that it allocates nothing. `busy` keeps a second caller away.
  std::vector<TensorView> in, out;
  std::atomic_flag busy = ATOMIC_FLAG_INIT;
};

namespace api {
MemoryBill public_bill(const engine::Program& program);
std::vector<PortInfo> public_ports(const std::vector<engine::Port>& ports);
}  // namespace api

}  // namespace memline

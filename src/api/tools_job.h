// What every tool that compiles does: options to a job, a job to a compiled model, and the facts that go with it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "base/threads.h"
#include "compiler/compile.h"
#include "memline/tools.hpp"

namespace memline::api {

// Everything a compile needs that must outlive it.
struct Job {
  std::shared_ptr<const Backend> backend;
  std::shared_ptr<ThreadPool> pool;
  std::unique_ptr<Team> team;
  std::optional<TimingCache> cache;
  CompileOptions options;
};

Result<Job> prepare(const tools::BuildOptions& from);
Result<Compiled> compile_job(Job& job, const std::string& model);
// Writes what `inspect` says of where the engine comes from.
void describe(Compiled& compiled, const tools::BuildOptions& options, const std::string& model);

}  // namespace memline::api

#include "api/tools_job.h"

#include <fmt/format.h>

#include <filesystem>

#include "api/backends.h"
#include "api/process.h"
#include "base/process.h"
#include "base/size.h"
#include "engine/context.h"

namespace memline::api {
namespace {

Result<Tune> parse_tune(const std::string& text) {
  if (text == "none") return Tune::none;
  if (text == "quick") return Tune::quick;
  if (text == "full") return Tune::full;
  return invalid_argument("tune '{}': needs none, quick or full", text);
}

Result<int> thread_count(int wanted) {
  const int available = cpu_count();
  if (wanted < 0 || wanted > ThreadPool::kMaxWorkers + 1)
    return invalid_argument("{} threads: needs 1 to {}", wanted, ThreadPool::kMaxWorkers + 1);
  return wanted == 0 ? available : wanted;
}

}  // namespace

Result<Job> prepare(const tools::BuildOptions& from) {
  Job job;
  MEML_TRY(job.backend, backend_for_build(from.device, from.cpu_level));
  MEML_TRY(job.pool, shared_pool());
  MEML_TRY(const int threads, thread_count(from.threads));
  job.team = std::make_unique<Team>(*job.pool, threads);
  for (const auto& [name, range] : from.shapes) job.options.import.shapes[name] = {range.min, range.opt, range.max};
  job.options.import.limits = from.max;
  job.options.passes.skip = {from.skip_passes.begin(), from.skip_passes.end()};
  job.options.task = {from.task,       from.family, from.source_max_width, from.source_max_height, from.max_mask_bytes,
                      from.confidence, from.iou};

  TuneOptions& tune = job.options.tune;
  MEML_TRY(tune.tune, parse_tune(from.tune));
  job.options.lower = {threads, from.precision, from.exact};
  tune.parallel = job.team.get();
  tune.cancel = from.cancel;
  if (from.progress)
    tune.progress = [progress = from.progress](size_t done, size_t total) { progress("timing", done, total); };
  if (!from.timing_cache.empty()) {
    MEML_TRY(job.cache, TimingCache::load(from.timing_cache, job.backend->target(), threads));
  }
  if (from.plan != "fit" && from.plan != "plain") return invalid_argument("plan '{}': needs fit or plain", from.plan);
  job.options.fit.plain = from.plan == "plain";
  job.options.fit.limit_bytes = from.memory_bytes;
  job.options.fit.machine_limit_bytes = memory_limit();
  job.options.build_limit_bytes = from.build_memory_bytes;
  job.options.on_build_line = from.on_build_line;
  job.options.fit.fixed_entries = [](const Schedule& schedule, memory::Bill& bill) {
    bill.context = engine::context_bytes(assemble(schedule));
  };
  return job;
}

Result<Compiled> compile_job(Job& job, const std::string& model) {
  if (job.cache) job.options.tune.cache = &*job.cache;
  return compile(model, *job.backend, job.options);
}

void describe(Compiled& compiled, const tools::BuildOptions& options, const std::string& model) {
  auto& about = compiled.program.about;
  about["model"] = std::filesystem::path(model).filename();
  about["precision"] = options.precision;
  about["tune"] = options.tune;
  about["memline"] = version();
  for (const auto& [key, text] : compiled.graph->metadata()) about["model." + key] = text;
  std::string fired;
  for (const passes::PassResult& pass : compiled.passes)
    if (pass.hits > 0) fired += fmt::format("{}{} {}", fired.empty() ? "" : ", ", pass.name, pass.hits);
  about["passes"] = fired;
}

}  // namespace memline::api

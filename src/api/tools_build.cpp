// tools.hpp: build and plan, over compiler/.
#include <fmt/format.h>

#include <filesystem>

#include "api/backends.h"
#include "api/process.h"
#include "api/tools_report.h"
#include "base/process.h"
#include "base/size.h"
#include "compiler/compile.h"
#include "engine/context.h"
#include "memline/tools.hpp"

namespace memline::tools {
namespace {

// Everything a compile needs that must outlive it.
struct Job {
  std::shared_ptr<const Backend> backend;
  std::shared_ptr<ThreadPool> pool;
  std::unique_ptr<Team> team;
  std::optional<TimingCache> cache;
  CompileOptions options;
};

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

Result<Job> prepare(const BuildOptions& from) {
  Job job;
  MEML_TRY(job.backend, api::backend_for_build(from.device, from.cpu_level));
  MEML_TRY(job.pool, api::shared_pool());
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

void describe(Compiled& compiled, const BuildOptions& options, const std::string& model) {
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

BuildReport report_of(const Compiled& compiled) {
  BuildReport report;
  report.engine = api::report_of(compiled.program, compiled.target);
  for (const passes::PassResult& pass : compiled.passes)
    report.passes.push_back({pass.name, pass.hits, static_cast<double>(pass.microseconds) / 1e3});
  const Menu& menu = *compiled.schedule.menu;
  for (const MenuNode& node : menu.nodes) {
    if (node.kind != MenuNodeKind::kernel) continue;
    CandidateReport candidates{node.name, std::string(node.call.op->name), node.call.text()};
    for (const Candidate& candidate : node.candidates)
      candidates.offered.push_back({std::string(candidate.tactic->name()), candidate.nanoseconds});
    for (const Refusal& refusal : node.refusals) candidates.refused.push_back({refusal.tactic, refusal.reason});
    report.candidates.push_back(std::move(candidates));
  }
  report.build_limit_bytes = compiled.build_limit_bytes;
  report.untimed_calls = menu.untimed_calls;
  report.timed_calls = menu.timed_calls;
  report.cached_calls = menu.cached_calls;
  report.dumps = api::dumps_of(compiled);
  return report;
}

}  // namespace

Result<BuildReport> build(const std::string& model, const std::string& output, const BuildOptions& options) {
  MEML_TRY(Job job, prepare(options));
  MEML_TRY(Compiled compiled, compile_job(job, model));
  describe(compiled, options, model);
  if (job.cache && job.cache->changed()) MEML_TRY_STATUS(job.cache->save(options.timing_cache));
  MEML_TRY_STATUS(write_engine(compiled, output, options.cancel));
  return report_of(compiled);
}

Result<BuildReport> plan(const std::string& model, const BuildOptions& options) {
  MEML_TRY(Job job, prepare(options));
  job.options.tune.tune = Tune::none;
  MEML_TRY(Compiled compiled, compile_job(job, model));
  describe(compiled, options, model);
  return report_of(compiled);
}

}  // namespace memline::tools

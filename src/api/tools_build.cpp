// tools.hpp: build and plan, over compiler/.
#include "api/tools_job.h"
#include "api/tools_report.h"

namespace memline::tools {

using api::compile_job;
using api::describe;
using api::Job;
using api::prepare;

namespace {

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

#include "compiler/compile.h"

#include <fmt/format.h>

#include "base/size.h"
#include "tasks/append.h"

namespace memline {

Result<Compiled> compile(const std::string& path, const Backend& backend, const CompileOptions& options) {
  Compiled compiled;
  MEML_TRY(Graph graph, onnx::import(path, options.import));
  MEML_TRY(graph, tasks::append(options.task, std::move(graph)));
  MEML_TRY(passes::Outcome outcome, passes::run(passes::default_pipeline(), std::move(graph), options.skip_passes));
  compiled.passes = std::move(outcome.results);
  compiled.graph = std::make_shared<const Graph>(std::move(outcome.graph));
  MEML_TRY(Menu menu, choose(compiled.graph, backend, options.tune));
  MEML_TRY(compiled.schedule, fit(std::make_shared<const Menu>(std::move(menu)), options.fit));
  compiled.target = backend.target();
  compiled.program = assemble(compiled.schedule);
  return compiled;
}

Status write_engine(const Compiled& compiled, const std::string& path, const std::atomic<bool>* cancel) {
  return engine::write_file(path, compiled.target, compiled.program, [&](engine::WeightSink& sink) {
    return write_weights(compiled.schedule, cancel, sink);
  });
}

}  // namespace memline

#include "compiler/compile.h"

namespace memline {

Result<Compiled> compile(const std::string& path, const Backend& backend, const CompileOptions& options) {
  Compiled compiled;
  MEML_TRY(Graph graph, onnx::import(path, options.import));
  MEML_TRY(graph, tasks::append(options.task, std::move(graph)));
  MEML_TRY(compiled.passes, passes::run(passes::default_pipeline(), graph, options.passes));
  compiled.graph = std::make_shared<const Graph>(std::move(graph));
  MEML_TRY(Menu menu, choose(compiled.graph, backend, options.tune));
  MEML_TRY(compiled.schedule, fit(std::make_shared<const Menu>(std::move(menu)), options.fit));
  compiled.target = backend.target();
  compiled.program = assemble(compiled.schedule);
  return compiled;
}

Status write_engine(const Compiled& compiled, const std::string& path, const std::atomic<bool>* cancel) {
  return engine::write_file(path, compiled.target, compiled.program,
                            [&](engine::WeightSink& sink) { return write_weights(compiled.schedule, cancel, sink); });
}

}  // namespace memline

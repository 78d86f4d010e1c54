#include "compiler/compile.h"

#include "compiler/build_memory.h"

namespace memline {

Result<Compiled> compile(const std::string& path, const Backend& backend, const CompileOptions& options) {
  Compiled compiled;
  MEML_TRY(Graph graph, onnx::import(path, options.import));
  BuildMemory memory(path, graph);
  MEML_TRY(graph, tasks::append(options.task, std::move(graph)));
  MEML_TRY(compiled.passes, passes::run(passes::default_pipeline(), graph, options.passes));
  compiled.graph = std::make_shared<const Graph>(std::move(graph));
  MEML_TRY(Menu lowered, lower(compiled.graph, backend, options.lower));
  compiled.graph = lowered.graph;  // where epilogue lists were split, another one
  const auto menu = std::make_shared<Menu>(std::move(lowered));
  MEML_TRY(const int64_t least, least_line(menu, options.fit));  // a line below it is refused before anything is timed
  MEML_TRY_STATUS(memory.draw_line(options.build_limit_bytes, std::max(least, options.fit.limit_bytes), *menu));
  compiled.build_limit_bytes = memory.limit_bytes();
  if (options.on_build_line) options.on_build_line(memory.limit_bytes());
  TuneOptions tune = options.tune;
  tune.max_bytes = memory.room_for_timing();
  MEML_TRY_STATUS(choose(*menu, tune));
  MEML_TRY(compiled.schedule, fit(menu, options.fit));
  compiled.target = backend.target();
  compiled.program = assemble(compiled.schedule);
  return compiled;
}

Status write_engine(const Compiled& compiled, const std::string& path, const std::atomic<bool>* cancel) {
  return engine::write_file(path, compiled.target, compiled.program,
                            [&](engine::WeightSink& sink) { return write_weights(compiled.schedule, cancel, sink); });
}

}  // namespace memline

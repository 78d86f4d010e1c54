// compile: the data flow, bytes to engine, in one function. Each stage has one input type and one output type.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "choose/choose.h"
#include "choose/lower.h"
#include "compiler/assemble.h"
#include "fit/fit.h"
#include "onnx/import.h"
#include "passes/pipeline.h"
#include "tasks/append.h"

namespace memline {

struct CompileOptions {
  onnx::ImportOptions import;
  tasks::TaskOptions task;  // name "": none
  passes::PipelineOptions passes;
  LowerOptions lower;
  TuneOptions tune;
  FitOptions fit;
  int64_t build_limit_bytes = 0;                     // the build's line; 0: BuildMemory's default
  std::function<void(int64_t bytes)> on_build_line;  // called once it is known, before anything is timed or packed
};

struct Compiled {
  std::shared_ptr<const Graph> graph;
  std::vector<passes::PassResult> passes;
  Schedule schedule;
  engine::Program program;
  std::string target;
  int64_t build_limit_bytes = 0;
};

// `path` is mapped and stays so while the result lives: weights are read from it when the engine is written.
Result<Compiled> compile(const std::string& path, const Backend& backend, const CompileOptions& options);

Status write_engine(const Compiled& compiled, const std::string& path, const std::atomic<bool>* cancel);

}  // namespace memline

// compile: the data flow, bytes to engine, in one function. Each stage has one input type and one output type.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "choose/choose.h"
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
  TuneOptions tune;
  FitOptions fit;
};

struct Compiled {
  std::shared_ptr<const Graph> graph;
  std::vector<passes::PassResult> passes;
  Schedule schedule;
  engine::Program program;
  std::string target;
};

// `path` is mapped and stays so while the result lives: weights are read from it when the engine is written.
Result<Compiled> compile(const std::string& path, const Backend& backend, const CompileOptions& options);

Status write_engine(const Compiled& compiled, const std::string& path, const std::atomic<bool>* cancel);

}  // namespace memline

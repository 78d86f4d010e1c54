// compile: the data flow, bytes to engine, in one function. Each stage has one input type and one output type.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "choose/choose.h"
#include "compiler/assemble.h"
#include "fit/fit.h"
#include "onnx/import.h"
#include "passes/pipeline.h"

namespace memline {

struct CompileOptions {
  onnx::ImportOptions import;
  std::set<std::string> skip_passes;
  std::string task, family;           // --task detect|segment --family NAME; empty: none
  int64_t source_max_width = 1920, source_max_height = 1080;
  int64_t max_mask_bytes = 1 << 20;
  TuneOptions tune;
  int64_t limit_bytes = 0;            // the run's line; 0: none
  int64_t build_limit_bytes = 0;      // the build's line; 0: the default, see build_line()
  bool plain = false;
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

// Fuzz target: the ONNX importer. The first byte chooses the shape given to the input "x": none, a fixed one, or a
// range. The answer is an error that is not ours (internal), or a graph that verifies and that the passes can work on.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "onnx/import.h"
#include "passes/pipeline.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace memline;
  if (size == 0) return 0;
  onnx::ImportOptions options;
  if (data[0] == 1) options.shapes["x"] = onnx::ShapeRange::fixed({1, 3, 8, 8});
  if (data[0] == 2) options.shapes["x"] = {{1, 3, 8, 8}, {1, 3, 16, 16}, {2, 3, 32, 32}};
  const auto owner = std::make_shared<const std::string>(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto graph = onnx::import(std::as_bytes(std::span<const char>(*owner)), owner, options);
  if (!graph) {
    if (graph.error().code == Code::internal) std::abort();
    return 0;
  }
  const auto results = passes::run(passes::default_pipeline(), *graph);
  if (!results && results.error().code == Code::internal) std::abort();
  return 0;
}

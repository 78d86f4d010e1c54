// What the passes make of a model: operators before and after, and the pass log.
//   bench_passes MODEL.onnx [NAME=1x3x640x640 | NAME=1x3x320x320:1x3x640x640:4x3x640x640]... [--print]
#include <chrono>
#include <cstdio>
#include <map>

#include "graph/text.h"
#include "onnx/import.h"
#include "passes/pipeline.h"

namespace {

using namespace memline;

std::vector<int64_t> parse_dims(const std::string& text) {
  std::vector<int64_t> dims;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('x', at), text.size());
    dims.push_back(std::stoll(text.substr(at, end - at)));
    at = end + 1;
  }
  return dims;
}

onnx::ShapeRange parse_shape(const std::string& text) {
  const size_t first = text.find(':'), second = text.rfind(':');
  if (first == std::string::npos) return onnx::ShapeRange::fixed(parse_dims(text));
  return {parse_dims(text.substr(0, first)), parse_dims(text.substr(first + 1, second - first - 1)),
          parse_dims(text.substr(second + 1))};
}

void print_operators(const char* when, const Graph& graph) {
  std::map<std::string, int> counts;
  for (const Node& node : graph.nodes()) {
    std::string kind(node.op->name);
    for (const ops::Epilogue& epilogue : node.epilogues) kind.append("|").append(ops::epilogue_name(epilogue.kind));
    ++counts[kind];
  }
  std::printf("%s: %zu nodes, %zu slots, %zu conditions\n", when, graph.nodes().size(), graph.slots().size(),
              graph.conditions().size());
  for (const auto& [kind, count] : counts) std::printf("  %5d %s\n", count, kind.c_str());
}

int fail(const Error& error) {
  std::fprintf(stderr, "%s: %s\n", std::string(code_name(error.code)).c_str(), error.message.c_str());
  return static_cast<int>(error.code);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  onnx::ImportOptions options;
  bool prints = false;
  for (int i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    prints = prints || argument == "--print";
    if (equals != std::string::npos)
      options.shapes[argument.substr(0, equals)] = parse_shape(argument.substr(equals + 1));
  }
  const auto start = std::chrono::steady_clock::now();
  auto graph = onnx::import(argv[1], options);
  if (!graph) return fail(graph.error());
  std::printf("import: %.1f ms\n",
              std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  print_operators("before", *graph);
  const auto results = passes::run(passes::default_pipeline(), *graph);
  if (!results) return fail(results.error());
  for (const auto& result : *results)
    if (result.hits > 0)
      std::printf("%-24s detected %4d  %8.1f ms\n", result.name.c_str(), result.hits,
                  static_cast<double>(result.microseconds) / 1e3);
  print_operators("after", *graph);
  if (prints) std::fputs(print(*graph).c_str(), stdout);
  return 0;
}

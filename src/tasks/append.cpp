#include "tasks/append.h"

#include "tasks/yolo8_seg.h"

namespace memline::tasks {

Result<Graph> append(const TaskOptions& options, Graph graph) {
  if (options.name.empty()) return graph;
  if (options.name != "segment") return invalid_argument("task '{}': needs segment", options.name);
  if (!options.family.empty() && options.family != "yolo8-seg")
    return invalid_argument("family '{}': needs yolo8-seg", options.family);
  if (options.family.empty() && !looks_like_yolo8_seg(graph)) {
    std::string found;
    for (const ValueId output : graph.outputs()) found += (found.empty() ? "" : ", ") + graph.value(output).type.text();
    return unsupported(
        "no family fits the model's outputs {}: yolo8-seg needs [1,4+classes+M,anchors] and [1,M,H/4,W/4]", found);
  }
  return append_yolo8_seg(options, graph);
}

}  // namespace memline::tasks

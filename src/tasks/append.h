// Tasks: a model that takes a tensor and gives raw heads becomes one that takes a picture and gives results. What runs
// on the device is an operator: image to tensor, box decode, suppression and mask runs are appended to the graph, so
// they are planned and billed. One file a family.
#pragma once

#include <string>

#include "graph/graph.h"

namespace memline::tasks {

struct TaskOptions {
  std::string name;    // "": none; "segment"
  std::string family;  // "": found from the model's outputs; "yolo8-seg"
  int64_t source_max_width = 1920, source_max_height = 1080;
  int64_t max_mask_bytes = 1 << 20;  // run lengths of one picture
  float confidence = 0.25f;
  float iou = 0.6f;
  int64_t max_detections = 300;
};

// The graph with the task's operators around it. Metadata: memline.task, memline.family, memline.input_width,
// memline.input_height, memline.classes. Errors: invalid_argument (unknown task or family); unsupported, naming the
// outputs found and what the families need.
Result<Graph> append(const TaskOptions& options, Graph graph);

}  // namespace memline::tasks

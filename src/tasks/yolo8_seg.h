// YOLOv8-seg exports: one image input [1, 3, H, W], output 0 [1, 4 + classes + M, A], output 1 [1, M, H/4, W/4], no
// NMS inside.
#pragma once

#include "tasks/append.h"

namespace memline::tasks {

// Whether the graph's inputs and outputs have that form.
bool looks_like_yolo8_seg(const Graph& graph);
Result<Graph> append_yolo8_seg(const TaskOptions& options, const Graph& graph);

}  // namespace memline::tasks

#pragma once

#include "ops/op.h"

namespace memline::ops {

struct Yolo8SelectAttrs {
  int64_t classes = 1;
  int64_t max_detections = 300;
  float confidence = 0.25f;
  float iou = 0.6f;
  void fields(auto&& field) {
    field("classes", classes);
    field("max_detections", max_detections);
    field("confidence", confidence);
    field("iou", iou);
  }
};

// One anchor's box in the network's pixels.
struct Yolo8Box {
  float x0, y0, x1, y1;
};
Yolo8Box yolo8_box(const TensorView& prediction, int64_t anchor);

struct Yolo8Score {
  float score = 0;
  int32_t class_id = 0;  // the lowest among equals
};
Yolo8Score yolo8_score(const TensorView& prediction, int64_t anchor, int64_t classes);

// Suppressed: intersection over union strictly greater than `iou`.
bool yolo8_overlaps(const Yolo8Box& a, const Yolo8Box& b, float iou);

// Row `k` of the outputs: box, score, class, the anchor's remaining rows.
void yolo8_write(const Yolo8SelectAttrs& attrs, const TensorView& prediction, int64_t anchor, const Yolo8Score& score,
                 std::span<TensorView> out, int64_t k);

}  // namespace memline::ops

// Yolo8Select (memline): raw heads of the YOLOv8 interface -> the detections that are kept.
//   prediction f32 [1, 4 + classes + M, A]: rows 0-3 centre x, centre y, width, height in the network's pixels; then a
//   score a class (sigmoid done); then M mask coefficients.
//   -> boxes f32 [K, 4] (x0 y0 x1 y1, network pixels), scores f32 [K], class ids i32 [K], coefficients f32 [K, M]
// Keeps an anchor's best class where its score is at least `confidence`, then suppresses greedily by falling score
// (equal: the lower anchor first) within a class; K <= max_detections is a count. A NaN score is never kept.
#include "ops/yolo8_select.h"

#include <algorithm>

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const Yolo8SelectAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  MEML_TRY_STATUS(in.expect_rank(0, 3, 3));
  if (in.dtype(0) != DType::f32) return invalid_model("needs f32 predictions, got {}", in.dtype(0));
  const auto batch = in.dims(0)[0].constant(), rows = in.dims(0)[1].constant();
  if (batch != 1) return invalid_model("needs predictions [1, rows, anchors], got {}", in.type(0).text());
  if (!rows || attrs.classes < 1 || *rows < 4 + attrs.classes)
    return invalid_model("needs at least 4 + {} rows, got {}", attrs.classes, in.type(0).text());
  const DimExpr kept = in.count("detections", min(DimExpr(attrs.max_detections), in.dims(0)[2]));
  return TensorTypes{{DType::f32, {kept, 4}},
                     {DType::f32, {kept}},
                     {DType::i32, {kept}},
                     {DType::f32, {kept, *rows - 4 - attrs.classes}}};
}

void reference(const Yolo8SelectAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView& prediction = in[0];
  const int64_t anchors = prediction.dim(2), room = out[1].dim(0);
  const auto kept_class = [&](int64_t k) { return out[2].as<int32_t>()[k * out[2].stride(0)]; };
  const auto kept_box = [&](int64_t k) {
    const float* b = out[0].as<float>() + k * out[0].stride(0);
    return Yolo8Box{b[0], b[out[0].stride(1)], b[2 * out[0].stride(1)], b[3 * out[0].stride(1)]};
  };
  int64_t kept = 0, last = -1;
  float last_score = 0;
  while (kept < room) {  // the next anchor in order of falling score
    int64_t next = -1;
    Yolo8Score best;
    for (int64_t a = 0; a < anchors; ++a) {
      const Yolo8Score s = yolo8_score(prediction, a, attrs.classes);
      const bool comes_later = last < 0 || s.score < last_score || (s.score == last_score && a > last);
      if (s.score >= attrs.confidence && comes_later && (next < 0 || s.score > best.score)) next = a, best = s;
    }
    if (next < 0) break;
    last = next;
    last_score = best.score;
    const Yolo8Box box = yolo8_box(prediction, next);
    bool suppressed = false;
    for (int64_t k = 0; k < kept && !suppressed; ++k)
      suppressed = kept_class(k) == best.class_id && yolo8_overlaps(kept_box(k), box, attrs.iou);
    if (!suppressed) yolo8_write(attrs, prediction, next, best, out, kept++);
  }
  for (TensorView& view : out) view.dims[0] = kept;
}

}  // namespace

Yolo8Box yolo8_box(const TensorView& prediction, int64_t anchor) {
  const float* p = prediction.as<const float>() + anchor * prediction.stride(2);
  const int64_t row = prediction.stride(1);
  return {p[0] - p[2 * row] / 2, p[row] - p[3 * row] / 2, p[0] + p[2 * row] / 2, p[row] + p[3 * row] / 2};
}

Yolo8Score yolo8_score(const TensorView& prediction, int64_t anchor, int64_t classes) {
  const float* p = prediction.as<const float>() + anchor * prediction.stride(2) + 4 * prediction.stride(1);
  Yolo8Score best{-1, 0};
  for (int64_t c = 0; c < classes; ++c)
    if (const float score = p[c * prediction.stride(1)]; score > best.score) best = {score, static_cast<int32_t>(c)};
  return best;
}

bool yolo8_overlaps(const Yolo8Box& a, const Yolo8Box& b, float iou) {
  const float width = std::max(std::min(a.x1, b.x1) - std::max(a.x0, b.x0), 0.0f);
  const float height = std::max(std::min(a.y1, b.y1) - std::max(a.y0, b.y0), 0.0f);
  const float both = width * height;
  const float either = (a.x1 - a.x0) * (a.y1 - a.y0) + (b.x1 - b.x0) * (b.y1 - b.y0) - both;
  return both / (either + 1e-9f) > iou;
}

void yolo8_write(const Yolo8SelectAttrs& attrs, const TensorView& prediction, int64_t anchor, const Yolo8Score& score,
                 std::span<TensorView> out, int64_t k) {
  const Yolo8Box box = yolo8_box(prediction, anchor);
  const float corners[4] = {box.x0, box.y0, box.x1, box.y1};
  for (int64_t i = 0; i < 4; ++i) out[0].as<float>()[k * out[0].stride(0) + i * out[0].stride(1)] = corners[i];
  out[1].as<float>()[k * out[1].stride(0)] = score.score;
  out[2].as<int32_t>()[k * out[2].stride(0)] = score.class_id;
  const float* p =
      prediction.as<const float>() + anchor * prediction.stride(2) + (4 + attrs.classes) * prediction.stride(1);
  for (int64_t m = 0; m < out[3].dim(1); ++m)
    out[3].as<float>()[k * out[3].stride(0) + m * out[3].stride(1)] = p[m * prediction.stride(1)];
}

OpDef yolo8_select() {
  return define_op<Yolo8SelectAttrs>("Yolo8Select", {.domain = "memline", .infer = infer, .reference = reference});
}

}  // namespace memline::ops

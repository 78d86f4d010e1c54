// NonMaxSuppression: for each picture and class, boxes in order of falling score (equal scores: lower index first),
// each kept unless a kept box overlaps it by more than iou_threshold.
//   in   boxes [B, N, 4], scores [B, C, N], optional max_output_boxes_per_class (default 0: none), iou_threshold
//   (default 0),
//        score_threshold (boxes with a lower score are left out; by default none is)
//   out  i64 [count, 3]: batch, class, box; count is at most B * C * min(max_output_boxes_per_class, N)
// The reference needs no scratch: the kept boxes are in the output, and the next candidate is found by a scan.
#include "ops/non_max_suppression.h"

#include <limits>

#include "ops/reference.h"

namespace memline::ops {
namespace {

Status check(const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 5));
  for (size_t i : {size_t{0}, size_t{1}}) {
    MEML_TRY_STATUS(in.expect_rank(i, 3, 3));
    MEML_TRY_STATUS(in.expect_float(i));
  }
  const auto &boxes = in.dims(0), &scores = in.dims(1);
  MEML_TRY_STATUS(in.expect_equal(boxes[2], 4, "boxes have 4 numbers each"));
  MEML_TRY_STATUS(in.expect_equal(boxes[0], scores[0], "boxes and scores are of the same pictures"));
  MEML_TRY_STATUS(in.expect_equal(boxes[1], scores[2], "there is one score a box"));
  for (size_t i = 2; i < in.size(); ++i)
    if (in.has(i) && product(in.dims(i)) != DimExpr(1) && product(in.dims(i)) != DimExpr(0))
      return invalid_model("input {} is {}, needs one element", i, in.type(i).text());
  return {};
}

Result<TensorTypes> infer(const NonMaxSuppressionAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(check(in));
  DimExpr most = in.dims(0)[1];
  if (!in.has(2)) {
    most = 0;
  } else if (const auto* limit = in.values(2); limit != nullptr && !limit->empty()) {
    most = min(most, max(limit->front(), 0));
  }
  const DimExpr bound = in.dims(1)[0] * in.dims(1)[1] * most;
  const DimExpr count = bound == DimExpr(0) ? DimExpr(0) : in.count("selected boxes", bound);
  return TensorTypes{{DType::i64, {count, 3}}};
}

template <typename C>
C scalar(std::span<const TensorView> in, size_t i, C otherwise) {
  const TensorView view = input_or_none(in, i);
  return view.data && view.elements() > 0 ? load<C>(view, 0) : otherwise;
}

// One picture and class; the boxes it keeps are rows [first, count) of the output.
struct ClassRun {
  const NonMaxSuppressionAttrs& attrs;
  const TensorView &boxes, &scores, &out;
  int64_t picture, klass, most;
  float iou_threshold, score_threshold;

  float score(int64_t box) const {
    return load<float>(scores, picture * scores.stride(0) + klass * scores.stride(1) + box * scores.stride(2));
  }
  NmsBox box(int64_t i) const {
    const auto number = [&](int64_t k) {
      return load<float>(boxes, picture * boxes.stride(0) + i * boxes.stride(1) + k * boxes.stride(2));
    };
    return NmsBox::of(attrs, number(0), number(1), number(2), number(3));
  }
  // The best box that comes after `last` (-1: the best of all), or -1.
  int64_t next(int64_t last) const {
    int64_t best = -1;
    for (int64_t i = 0; i < scores.dim(2); ++i) {
      const float s = score(i);
      if (!(s >= score_threshold)) continue;
      if (last >= 0 && !(s < score(last) || (s == score(last) && i > last))) continue;
      if (best < 0 || s > score(best)) best = i;
    }
    return best;
  }
  int64_t run(int64_t count) const {
    const int64_t first = count;
    for (int64_t i = next(-1); i >= 0 && count - first < most && count <= out.dim(0); i = next(i)) {
      bool keep = true;
      for (int64_t k = first; keep && k < count; ++k)
        keep = !suppresses(box(i), box(load<int64_t>(out, k * out.stride(0) + 2 * out.stride(1))), iou_threshold);
      if (!keep) continue;
      if (count == out.dim(0)) return count + 1;  // more than there is room for
      const int64_t row[] = {picture, klass, i};
      for (int64_t k = 0; k < 3; ++k) store(out, count * out.stride(0) + k * out.stride(1), row[k]);
      ++count;
    }
    return count;
  }
};

void reference(const NonMaxSuppressionAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const auto most = scalar<int64_t>(in, 2, 0);
  const auto iou_threshold = scalar<float>(in, 3, 0);
  const auto score_threshold = scalar<float>(in, 4, -std::numeric_limits<float>::infinity());
  int64_t count = 0;
  for (int64_t b = 0; b < in[1].dim(0); ++b)
    for (int64_t c = 0; c < in[1].dim(1); ++c)
      count = ClassRun{attrs, in[0], in[1], out[0], b, c, most, iou_threshold, score_threshold}.run(count);
  out[0].dims[0] = count;
}

}  // namespace

OpDef non_max_suppression() {
  return define_op<NonMaxSuppressionAttrs>("NonMaxSuppression",
                                           {.since_opset = 10, .infer = infer, .reference = reference});
}

}  // namespace memline::ops

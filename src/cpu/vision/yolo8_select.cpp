// Yolo8Select: one pass over the anchors collects those above the confidence; they are sorted, then suppressed.
#include <algorithm>

#include "base/size.h"
#include "cpu/vision/vision_tactics.h"
#include "ops/yolo8_select.h"

namespace memline::cpu {
namespace {

struct Anchor {
  float score;
  int32_t class_id;
  int32_t index;
};

class Yolo8SelectKernel final : public Kernel {
 public:
  explicit Yolo8SelectKernel(const ops::Yolo8SelectAttrs& attrs) : attrs_(attrs) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView& prediction = args.in[0];
    auto* const anchors = reinterpret_cast<Anchor*>(args.workspace.data());
    int64_t count = 0;
    for (int64_t a = 0; a < prediction.dim(2); ++a) {
      const ops::Yolo8Score s = ops::yolo8_score(prediction, a, attrs_.classes);
      if (s.score >= attrs_.confidence) anchors[count++] = {s.score, s.class_id, static_cast<int32_t>(a)};
    }
    std::sort(anchors, anchors + count, [](const Anchor& a, const Anchor& b) {
      return a.score != b.score ? a.score > b.score : a.index < b.index;
    });
    int64_t kept = 0;
    for (int64_t i = 0; i < count && kept < args.out[1].dim(0); ++i) {
      if (suppressed(prediction, anchors, kept, anchors[i])) continue;
      ops::yolo8_write(attrs_, prediction, anchors[i].index, {anchors[i].score, anchors[i].class_id}, args.out, kept);
      anchors[kept++] = anchors[i];  // the kept ones gather at the front: kept <= i
    }
    for (TensorView& out : args.out) out.dims[0] = kept;
    return {};
  }

 private:
  bool suppressed(const TensorView& prediction, const Anchor* kept, int64_t count,
                  const Anchor& anchor) const noexcept {
    const ops::Yolo8Box box = ops::yolo8_box(prediction, anchor.index);
    for (int64_t k = 0; k < count; ++k)
      if (kept[k].class_id == anchor.class_id &&
          ops::yolo8_overlaps(ops::yolo8_box(prediction, kept[k].index), box, attrs_.iou))
        return true;
    return false;
  }

  ops::Yolo8SelectAttrs attrs_;
};

class Yolo8SelectTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.yolo8_select"; }
  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "Yolo8Select", "the op is {}", call.op->name);
    MEML_REFUSE_IF(call.in[0].type.dtype != DType::f32 || !call.epilogues.empty(), "reads plain f32 only");
    MEML_REFUSE_IF(call.in[0].max_dims[2] > INT32_MAX, "{} anchors are more than 2^31", call.in[0].max_dims[2]);
    return Support::yes();
  }
  Workspace workspace(const OpCall& call, int) const override {
    return {.shared = align_up(call.in[0].max_dims[2] * static_cast<int64_t>(sizeof(Anchor)), 64)};
  }
  double stored_cost(const OpCall& call) const override {
    return 2.0 * static_cast<double>(call.in[0].max_dims[2] * call.attrs.as<ops::Yolo8SelectAttrs>().classes);
  }
  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    return std::make_unique<Yolo8SelectKernel>(call.attrs.as<ops::Yolo8SelectAttrs>());
  }
};

}  // namespace

std::unique_ptr<Tactic> yolo8_select_tactic() { return std::make_unique<Yolo8SelectTactic>(); }

}  // namespace memline::cpu

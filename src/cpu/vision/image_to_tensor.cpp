// ImageToTensor: rows of the network's input are shared out; the samples of the columns are in a table made once a run.
#include <algorithm>

#include "base/size.h"
#include "cpu/vision/vision_tactics.h"
#include "ops/image_to_tensor.h"
#include "ops/letterbox.h"

namespace memline::cpu {
namespace {

class ImageToTensorKernel final : public Kernel {
 public:
  explicit ImageToTensorKernel(const ops::ImageToTensorAttrs& attrs) : attrs_(attrs) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView &x = args.in[0], &y = args.out[0];
    const ops::LetterboxGeometry g = ops::letterbox_geometry(x.dim(1), x.dim(0), attrs_.width, attrs_.height);
    auto* const columns = reinterpret_cast<ops::LinearSample*>(args.workspace.data());
    for (int64_t c = 0; c < g.width; ++c) columns[c] = ops::linear_sample(c, g.width, x.dim(1));
    const int64_t tasks = std::min<int64_t>(attrs_.height, 4 * args.parallel->width());
    args.parallel->for_each(tasks, [&](int64_t task, int) {
      for (int64_t row = attrs_.height * task / tasks; row < attrs_.height * (task + 1) / tasks; ++row)
        write_row(x, y, g, columns, row);
    });
    return {};
  }

 private:
  void write_row(const TensorView& x, const TensorView& y, const ops::LetterboxGeometry& g,
                 const ops::LinearSample* columns, int64_t row) const noexcept {
    const float pad = attrs_.pad * attrs_.scale;
    const bool inside = row >= g.top && row < g.top + g.height;
    const ops::LinearSample v = inside ? ops::linear_sample(row - g.top, g.height, x.dim(0)) : ops::LinearSample{};
    for (int64_t c = 0; c < 3; ++c) {
      float* const out = y.as<float>() + row * y.stride(2) + c * y.stride(1);
      const int64_t step = y.stride(3), left = inside ? g.left : attrs_.width, right = inside ? g.left + g.width : 0;
      for (int64_t i = 0; i < left; ++i) out[i * step] = pad;
      if (!inside) continue;
      const auto* upper = x.as<const uint8_t>() + v.near * x.stride(0) + c * x.stride(2);
      const auto* lower = x.as<const uint8_t>() + v.far * x.stride(0) + c * x.stride(2);
      const int64_t pixel = x.stride(1);
      for (int64_t i = 0; i < g.width; ++i) {
        const ops::LinearSample& h = columns[i];
        const auto a = static_cast<float>(upper[h.near * pixel]), b = static_cast<float>(upper[h.far * pixel]);
        const auto d = static_cast<float>(lower[h.near * pixel]), e = static_cast<float>(lower[h.far * pixel]);
        const float top = a + (b - a) * h.weight, bottom = d + (e - d) * h.weight;
        out[(g.left + i) * step] = (top + (bottom - top) * v.weight) * attrs_.scale;
      }
      for (int64_t i = right; i < attrs_.width; ++i) out[i * step] = pad;
    }
  }

  ops::ImageToTensorAttrs attrs_;
};

class ImageToTensorTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.image_to_tensor"; }
  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "ImageToTensor", "the op is {}", call.op->name);
    MEML_REFUSE_IF(call.out[0].type.dtype != DType::f32 || !call.epilogues.empty(), "writes plain f32 only");
    return Support::yes();
  }
  Workspace workspace(const OpCall& call, int) const override {
    const auto& attrs = call.attrs.as<ops::ImageToTensorAttrs>();
    return {.shared = align_up(attrs.width * static_cast<int64_t>(sizeof(ops::LinearSample)), 64)};
  }
  double stored_cost(const OpCall& call) const override {
    const auto& attrs = call.attrs.as<ops::ImageToTensorAttrs>();
    return 6.0 * static_cast<double>(attrs.width * attrs.height);
  }
  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    return std::make_unique<ImageToTensorKernel>(call.attrs.as<ops::ImageToTensorAttrs>());
  }
};

}  // namespace

std::unique_ptr<Tactic> image_to_tensor_tactic() { return std::make_unique<ImageToTensorTactic>(); }

}  // namespace memline::cpu

// Depthwise convolution: Conv with group = channels = output channels.
//   layout   x and y [N, C, H, W] with channels innermost, any other strides, f32 or bf16; constant weights packed
//            [kernel_h][kernel_w][channels rounded up to a register].
//   tiling   a unit of work is an output row by up to 128 channels (depthwise.inl.h); a task is a run of units,
//            channels innermost.
//   sum      bias, then taps in row-major order: independent of batch, rows, tasks and threads.
//   limits   any kernel, strides, pads, dilations; fast for 3 and 5 columns at stride 1 or 2, 7 at stride 1.
//   speed    0.70-1.33 x the time of oneDNN 3.2's direct convolution in the same process, bias and HardSwish fused,
//            one thread, over seven MobileNetV3-like layers (Zen 3, AVX2, 2 vCPU shared with other work, 2026-12-01).
#include "cpu/depthwise/depthwise_tactic.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/size.h"
#include "cpu/bound_epilogue.h"
#include "ops/conv.h"
#include "ops/reference.h"

namespace memline::cpu {
namespace {

struct DepthwiseShape {
  ops::ConvAttrs attrs;
  int64_t channels, padded_channels, kernel_h, kernel_w;
  bool has_bias;

  DepthwiseShape(const OpCall& call, int lanes) : attrs(call.attrs.as<ops::ConvAttrs>()) {
    const std::vector<int64_t>& w = call.in[1].max_dims;
    channels = w[0];
    padded_channels = align_up(channels, lanes);
    kernel_h = w[2];
    kernel_w = w[3];
    has_bias = call.base_inputs > 2 && call.in[2].present;
  }
  int64_t weight_floats() const { return kernel_h * kernel_w * padded_channels; }
};

class DepthwiseKernel final : public Kernel {
 public:
  DepthwiseKernel(const OpCall& call, const DepthwiseKernels& kernels, std::span<const std::byte> packed)
      : shape_(call, kernels.lanes),
        run_row_(call.out[0].type.dtype == DType::bf16 ? kernels.row_bf16 : kernels.row_f32),
        weights_(reinterpret_cast<const float*>(packed.data())),
        row_axis_(call.row_axis) {
    if (shape_.has_bias) epilogues_.push_back({.kind = ops::EpilogueKind::bias, .input = 2});
    epilogues_.insert(epilogues_.end(), call.epilogues.begin(), call.epilogues.end());
  }

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView& out = args.out[0];
    Steps epilogue;
    bind_epilogue(epilogues_, args.in, out, 1, epilogue.bound);
    epilogue.split();
    const auto windows =
        ops::windows3(shape_.attrs, ops::Spatial(args.in[0]), {1, shape_.kernel_h, shape_.kernel_w}, 4);
    ops::RowRange pictures{0, out.dim(0)}, rows{0, out.dim(2)};
    if (row_axis_ == 0) pictures = args.rows;
    if (row_axis_ == 2) rows = args.rows;
    const int64_t row_count = rows.end - rows.begin, chunks = ceil_div(shape_.channels, kDepthwiseChannels);
    const int64_t units = (pictures.end - pictures.begin) * row_count * chunks;
    const int64_t tasks = std::min<int64_t>(units, 4 * args.parallel->width());
    args.parallel->for_each(tasks, [&](int64_t task, int) {
      for (int64_t unit = units * task / tasks; unit < units * (task + 1) / tasks; ++unit) {
        const int64_t row = unit / chunks;
        run_unit(args, epilogue, windows, pictures.begin + row / row_count, rows.begin + row % row_count,
                 unit % chunks);
      }
    });
    return {};
  }

 private:
  // The list as rows take it: a bias that sums begin with; then what is done in registers, or steps from `first` on.
  struct Steps {
    BoundEpilogue bound;
    int first = 0;
    const float* bias = nullptr;
    bool direct = true, hard_swish = false;
    float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();

    void split() noexcept {
      using Kind = ops::EpilogueKind;
      const EpilogueStep* step = bound.steps.data();
      if (bound.count > 0 && step->kind == Kind::bias && !step->is_bf16 && step->channel_stride == 1) {
        bias = static_cast<const float*>(step->data);
        ++first;
        ++step;
      }
      if (bound.count == first) return;
      direct = bound.count == first + 1 &&
               (step->kind == Kind::relu || step->kind == Kind::clip || step->kind == Kind::hard_swish);
      hard_swish = step->kind == Kind::hard_swish;
      if (step->kind == Kind::relu) low = 0;
      if (step->kind == Kind::clip) low = step->a, high = step->b;
    }
    int count() const { return bound.count - first; }
  };

  void run_unit(const KernelArgs& args, const Steps& epilogue, const std::array<ops::Window, 3>& windows, int64_t n,
                int64_t y, int64_t chunk) const noexcept {
    const TensorView &in = args.in[0], &out = args.out[0];
    const int64_t size = size_of(in.dtype), first_y = windows[1].start(y), dilation = windows[1].dilation;
    int64_t base[kMaxEpilogueSteps], strides[kMaxEpilogueSteps];
    for (int s = 0; s < epilogue.count(); ++s) {
      const auto& by_axis = epilogue.bound.strides[static_cast<size_t>(epilogue.first + s)];
      base[s] = n * by_axis[0] + y * by_axis[2];
      strides[s] = by_axis[3];
    }
    const int64_t first_channel = chunk * kDepthwiseChannels;
    run_row_({.in = in.as<const std::byte>() + n * in.stride(0) * size,
              .in_h = in.stride(2),
              .in_w = in.stride(3),
              .out = out.as<std::byte>() + (n * out.stride(0) + y * out.stride(2)) * size,
              .out_w = out.stride(3),
              .width = in.dim(3),
              .out_width = out.dim(3),
              .first_y = first_y,
              .ky_begin = std::min(first_y < 0 ? ceil_div(-first_y, dilation) : 0, shape_.kernel_h),
              .ky_end = std::clamp<int64_t>(ceil_div(in.dim(2) - first_y, dilation), 0, shape_.kernel_h),
              .kernel_w = shape_.kernel_w,
              .stride_w = windows[2].stride,
              .dilation_w = windows[2].dilation,
              .dilation_h = dilation,
              .pad_left = windows[2].pad_begin,
              .weights = weights_,
              .padded_channels = shape_.padded_channels,
              .first_channel = first_channel,
              .channels = std::min(kDepthwiseChannels, shape_.channels - first_channel),
              .bias = epilogue.bias,
              .direct = epilogue.direct,
              .hard_swish = epilogue.hard_swish,
              .low = epilogue.low,
              .high = epilogue.high,
              .steps = epilogue.bound.steps.data() + epilogue.first,
              .step_count = epilogue.count(),
              .step_base = base,
              .step_strides = strides});
  }

  DepthwiseShape shape_;
  void (*run_row_)(const DepthwiseRow& row);
  const float* weights_;
  int row_axis_;
  std::vector<ops::Epilogue> epilogues_;
};

class DepthwiseTactic final : public Tactic {
 public:
  DepthwiseTactic(std::string_view name, const DepthwiseKernels& kernels) : name_(name), kernels_(kernels) {}

  std::string_view name() const override { return name_; }

  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "Conv" || !call.op->domain.empty(), "the op is not Conv");
    const CallOperand &x = call.in[0], &w = call.in[1], &y = call.out[0];
    MEML_REFUSE_IF(x.type.rank() != 4, "rank is {}, needs 4", x.type.rank());
    MEML_REFUSE_IF(x.type.dtype != DType::f32 && x.type.dtype != DType::bf16, "input is {}, needs f32 or bf16",
                   x.type.dtype);
    MEML_REFUSE_IF(y.type.dtype != x.type.dtype, "output is {}, input {}", y.type.dtype, x.type.dtype);
    MEML_REFUSE_IF(!w.is_constant, "weights are computed at run time");
    const int64_t group = call.attrs.as<ops::ConvAttrs>().group;
    MEML_REFUSE_IF(w.max_dims[1] != 1 || w.max_dims[0] != group, "{} groups of {} to {} channels: not depthwise", group,
                   w.max_dims[1], w.max_dims[0] / group);
    MEML_REFUSE_IF(x.order.axes[3] != 1, "input order {} does not end in the channels", x.order.text());
    MEML_REFUSE_IF(y.order.axes[3] != 1, "output order {} does not end in the channels", y.order.text());
    const bool has_bias = call.base_inputs > 2 && call.in[2].present;
    MEML_REFUSE_IF(has_bias && call.in[2].type.dtype != DType::f32, "bias is {}, needs f32", call.in[2].type.dtype);
    MEML_REFUSE_IF(has_bias && call.epilogues.size() + 1 > kMaxEpilogueSteps, "too many epilogues");
    return epilogue_supported(call);
  }

  Workspace workspace(const OpCall&, int) const override { return {}; }

  // 1.2 multiplications a lane and ns: the inner block loads an input register for each one or two of them.
  double stored_cost(const OpCall& call) const override {
    const DepthwiseShape shape(call, kernels_.lanes);
    double registers = static_cast<double>(shape.padded_channels / kernels_.lanes);
    for (size_t axis = 0; axis < 4; ++axis)
      if (axis != 1) registers *= static_cast<double>(call.out[0].max_dims[axis]);
    return 500 + registers * (static_cast<double>(shape.kernel_h * shape.kernel_w) / 1.2 + 6);
  }

  uint64_t may_overwrite(const OpCall& call) const override { return epilogue_may_overwrite(call); }
  bool rows_independent(const OpCall& call) const override { return call.row_axis == 0 || call.row_axis == 2; }

  uint64_t packs(const OpCall&) const override { return uint64_t{1} << 1; }
  int64_t packed_bytes(const OpCall& call) const override {
    return align_up(DepthwiseShape(call, kernels_.lanes).weight_floats() * static_cast<int64_t>(sizeof(float)), 64);
  }
  Status pack(const OpCall& call, std::span<std::byte> out) const override {
    const DepthwiseShape shape(call, kernels_.lanes);
    const TensorView& w = call.in[1].value;
    std::fill(out.begin(), out.end(), std::byte{0});
    auto* const packed = reinterpret_cast<float*>(out.data());
    for (int64_t tap = 0; tap < shape.kernel_h * shape.kernel_w; ++tap)
      for (int64_t c = 0; c < shape.channels; ++c)
        packed[tap * shape.padded_channels + c] = ops::load<float>(
            w, c * w.stride(0) + tap / shape.kernel_w * w.stride(2) + tap % shape.kernel_w * w.stride(3));
    return {};
  }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte> packed) const override {
    return std::make_unique<DepthwiseKernel>(call, kernels_, packed);
  }

 private:
  std::string name_;
  DepthwiseKernels kernels_;
};

}  // namespace

std::unique_ptr<Tactic> depthwise_tactic(std::string_view name, const DepthwiseKernels& kernels) {
  return std::make_unique<DepthwiseTactic>(name, kernels);
}

}  // namespace memline::cpu

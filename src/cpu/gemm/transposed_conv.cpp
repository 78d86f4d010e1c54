// ConvTranspose as one convolution a phase.
//   * Outputs whose index plus padding leaves the same remainder r by the stride are a phase: an ordinary convolution
//     of stride 1 with the taps r, r + stride, r + 2 strides ..., last first, written at every stride-th output.
//   * Layout, tiling, packing and sum of a phase are those of indirect_conv.cpp; phases are packed one after another.
//   * Limits: rank 3 or 4, one group, dilation 1, kernel at least the stride, pads that stay inside it, constant
//     weights, no output_shape or SAME; epilogues that read no other tensor.
#include "cpu/gemm/transposed_conv.h"

#include <algorithm>
#include <vector>

#include "cpu/gemm/conv_runner.h"
#include "ops/conv_transpose.h"
#include "ops/reference.h"

namespace memline::cpu {
namespace {

// One axis of a phase: outputs first, first + stride, ... are windows of `taps` inputs; the first one begins at -pad.
struct PhaseAxis {
  int64_t stride = 1, remainder = 0, taps = 1, first = 0, pad = 0;

  PhaseAxis() = default;
  PhaseAxis(const ops::Window& w, int64_t remainder)
      : stride(w.stride), remainder(remainder), taps(ceil_div(w.kernel - remainder, w.stride)) {
    const int64_t skipped = ceil_div(std::max<int64_t>(w.pad_begin - remainder, 0), stride);
    first = skipped * stride + remainder - w.pad_begin;
    pad = taps - 1 - skipped;
  }
  int64_t count(int64_t extent) const { return extent <= first ? 0 : ceil_div(extent - first, stride); }
  int64_t kernel_index(int64_t tap) const { return remainder + stride * (taps - 1 - tap); }
};

struct Phase {
  PhaseAxis y, x;
  ConvShape shape;
};

// The window of a spatial axis, y or x; rank 3 has no y.
ops::Window window_of(const OpCall& call, bool is_y) {
  const std::vector<int64_t>& w = call.in[1].max_dims;
  if (is_y && w.size() == 3) return {};
  return ops::transposed_window(call.attrs.as<ops::ConvTransposeAttrs>(), w.size() == 4 && !is_y ? 1 : 0,
                                is_y ? w[2] : w.back(), 1);
}

std::vector<Phase> phases_of(const OpCall& call) {
  const std::vector<int64_t>& w = call.in[1].max_dims;
  const ops::Window y = window_of(call, true), x = window_of(call, false);
  std::vector<Phase> phases;
  for (int64_t ry = 0; ry < y.stride; ++ry)
    for (int64_t rx = 0; rx < x.stride; ++rx) {
      Phase phase{.y = PhaseAxis(y, ry), .x = PhaseAxis(x, rx), .shape = {}};
      phase.shape.rank = static_cast<int>(w.size());
      phase.shape.kernel_h = phase.y.taps;
      phase.shape.kernel_w = phase.x.taps;
      phase.shape.depth = w[0];
      phase.shape.outputs = w[1];
      phase.shape.has_bias = call.base_inputs > 2 && call.in[2].present;
      phases.push_back(std::move(phase));
    }
  return phases;
}

class TransposedConvKernel final : public Kernel {
 public:
  TransposedConvKernel(const OpCall& call, const StripKernels& kernels, const std::byte* packed)
      : phases_(phases_of(call)), epilogues_(call.epilogues) {
    for (const Phase& phase : phases_) {
      runners_.emplace_back(phase.shape, kernels, call.epilogues.size(), packed);
      packed += ConvRunner::packed_bytes(phase.shape, kernels);
    }
  }

  RunStatus run(const KernelArgs& args) noexcept override {
    const float* const bias = phases_[0].shape.has_bias ? args.in[2].as<const float>() : nullptr;
    const StripEpilogue epilogue(epilogues_, bias, args.in, args.out[0], 1);
    for (size_t i = 0; i < phases_.size(); ++i) {
      const ConvGeometry geometry = make_geometry(phases_[i], runners_[i], args.in[0], args.out[0]);
      if (geometry.pixels() > 0) runners_[i].run(args, geometry, epilogue);
    }
    return {};
  }

 private:
  static ConvGeometry make_geometry(const Phase& phase, const ConvRunner& runner, const TensorView& in,
                                    const TensorView& out) {
    const ops::Spatial from(in), to(out);
    const int64_t size = size_of(in.dtype);
    ConvGeometry g{.in = in.as<const std::byte>(),
                   .out = out.as<std::byte>() + (phase.y.first * to.strides[1] + phase.x.first * to.strides[2]) * size,
                   .in_h = from.dims[1],
                   .in_w = from.dims[2],
                   .in_stride_n = in.stride(0) * size,
                   .in_stride_h = from.strides[1] * size,
                   .in_stride_w = from.strides[2] * size,
                   .out_n = out.dim(0),
                   .out_h = phase.y.count(to.dims[1]),
                   .out_w = phase.x.count(to.dims[2]),
                   .first_n = 0,
                   .first_y = 0,
                   .first_x = 0,
                   .rank = in.rank,
                   .out_stride_n = out.stride(0) * size,
                   .out_stride_h = to.strides[1] * phase.y.stride * size,
                   .out_stride_w = to.strides[2] * phase.x.stride * size,
                   .y = {.kernel = phase.y.taps, .pad_begin = phase.y.pad},
                   .x = {.kernel = phase.x.taps, .pad_begin = phase.x.pad},
                   .dense_rows = false};
    g.dense_rows = runner.dense_rows(g.x, from.strides[2]);
    return g;
  }

  std::vector<Phase> phases_;
  std::vector<ConvRunner> runners_;
  std::vector<ops::Epilogue> epilogues_;
};

Support window_supported(const ops::Window& w) {
  MEML_REFUSE_IF(w.dilation != 1, "dilation is {}, needs 1", w.dilation);
  MEML_REFUSE_IF(w.kernel < w.stride, "the kernel of {} leaves gaps at stride {}", w.kernel, w.stride);
  for (int64_t remainder = 0; remainder < w.stride; ++remainder)
    MEML_REFUSE_IF(PhaseAxis(w, remainder).pad < 0, "pads of {} go beyond the kernel of {}", w.pad_begin, w.kernel);
  return Support::yes();
}

class TransposedConv final : public Tactic {
 public:
  TransposedConv(std::string_view name, const StripKernels& kernels) : name_(name), kernels_(kernels) {}

  std::string_view name() const override { return name_; }

  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "ConvTranspose" || !call.op->domain.empty(), "the op is not ConvTranspose");
    const auto& attrs = call.attrs.as<ops::ConvTransposeAttrs>();
    MEML_REFUSE_IF(attrs.auto_pad != "NOTSET" || !attrs.output_shape.empty(), "pads follow from the output's shape");
    MEML_REFUSE_IF(attrs.group != 1, "has {} groups", attrs.group);
    if (const Support support = operands_supported(call, kernels_); !support) return support;
    const CallOperand& x = call.in[0];
    MEML_REFUSE_IF(x.type.dtype != call.out[0].type.dtype, "input is {}, output {}", x.type.dtype,
                   call.out[0].type.dtype);
    MEML_REFUSE_IF(x.order.axes[x.order.rank - 1u] != 1, "input order {} does not end in the channels", x.order.text());
    for (const bool is_y : {true, false})
      if (const Support support = window_supported(window_of(call, is_y)); !support) return support;
    for (const ops::Epilogue& epilogue : call.epilogues)
      MEML_REFUSE_IF(epilogue.reads_input() && epilogue.kind != ops::EpilogueKind::bias,
                     "an epilogue reads another tensor");
    return Support::yes();
  }

  Workspace workspace(const OpCall& call, int) const override {
    int64_t bytes = 0;
    for (const Phase& phase : phases_of(call))
      bytes = std::max(bytes, ConvChunk(phase.shape, kernels_, call.epilogues.size()).workspace());
    return {.shared = 0, .per_thread = bytes};
  }

  double stored_cost(const OpCall& call) const override {
    const std::vector<Phase> phases = phases_of(call);
    double products = 0;
    for (const Phase& phase : phases) products += phase.shape.products(call, kernels_);
    const auto count = static_cast<double>(phases.size());
    return 1000 * count + products / count / products_per_ns(kernels_);
  }

  uint64_t packs(const OpCall&) const override { return uint64_t{1} << 1; }

  int64_t packed_bytes(const OpCall& call) const override {
    int64_t bytes = 0;
    for (const Phase& phase : phases_of(call)) bytes += ConvRunner::packed_bytes(phase.shape, kernels_);
    return bytes;
  }

  Status pack(const OpCall& call, std::span<std::byte> out) const override {
    const TensorView& w = call.in[1].value;
    std::byte* at = out.data();
    for (const Phase& phase : phases_of(call)) {
      const PackedShape packed = phase.shape.packed(kernels_);
      for (int64_t block = 0; block < packed.blocks.count(); ++block)
        pack_block(packed, block, at + packed.block_offset(block), [&](int64_t channel, int64_t tap, int64_t k) {
          int64_t element =
              k * w.stride(0) + channel * w.stride(1) + phase.x.kernel_index(tap % phase.x.taps) * w.stride(w.rank - 1);
          if (w.rank == 4) element += phase.y.kernel_index(tap / phase.x.taps) * w.stride(2);
          return ops::load<float>(w, element);
        });
      ConvRunner::pack_tail(phase.shape, kernels_, w, at);
      at += ConvRunner::packed_bytes(phase.shape, kernels_);
    }
    return {};
  }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte> packed) const override {
    return std::make_unique<TransposedConvKernel>(call, kernels_, packed.data());
  }

 private:
  std::string name_;
  StripKernels kernels_;
};

}  // namespace

std::unique_ptr<Tactic> transposed_conv_tactic(std::string_view name, const StripKernels& kernels) {
  return std::make_unique<TransposedConv>(name, kernels);
}

}  // namespace memline::cpu

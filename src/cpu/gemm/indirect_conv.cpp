// Convolution as an indirect batch-reduce GEMM.
//   * Layout: x [N, C, (H,) W], channels innermost with any other strides, and y likewise. Weights are packed as
//     [group][block][tap][k][width] (packed_blocks.h), followed by kernel_w * C/group zeros for the padding.
//   * Tiling: tasks of up to kPixels output pixels by a range of channel blocks. Within a task the pointers are made
//     once, and each block's weights are read from L2 for all pixels.
//   * Sum: taps in row-major order, then input channels, one accumulator: independent of batch, rows, tasks, threads.
//     Taps that lie in the padding for a whole tile are left out (most of them, where a dilation is as large as the
//     map).
//   * Limits: rank 3 or 4, constant weights, f32 (bf16 with the bf16 kernels), f32 bias.
//   * Measured (AVX2 on Zen 3, one thread of two virtual CPUs, 2026-12-01, bench_conv, SiLU fused): all convolutions of
//     ResNet-50 in 0.95 of oneDNN 3.2's time, of person-seg in 0.96; 85 GFLOP/s where tiles are full (64->64 3x3 on
//     160x160), 0.76 of two multipliers at 3.5 GHz.
#include "cpu/gemm/indirect_conv.h"

#include <algorithm>
#include <string>

#include "cpu/gemm/conv_runner.h"

namespace memline::cpu {
namespace {

class ConvKernel final : public Kernel {
 public:
  ConvKernel(const OpCall& call, const StripKernels& kernels, std::span<const std::byte> packed)
      : runner_(ConvShape(call), kernels, call.epilogues.size(), packed.data()),
        epilogues_(call.epilogues),
        row_axis_(call.row_axis) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const float* const bias = runner_.shape().has_bias ? args.in[2].as<const float>() : nullptr;
    runner_.run(args, make_geometry(args), StripEpilogue(epilogues_, bias, args.in, args.out[0], 1));
    return {};
  }

 private:
  ConvGeometry make_geometry(const KernelArgs& args) const {
    const TensorView &in = args.in[0], &out = args.out[0];
    const ops::Spatial from(in), to(out);
    const auto windows =
        ops::windows3(runner_.shape().attrs, from, {1, runner_.shape().kernel_h, runner_.shape().kernel_w}, in.rank);
    const int64_t size = size_of(in.dtype);
    ConvGeometry g{.in = in.as<const std::byte>(),
                   .out = out.as<std::byte>(),
                   .in_h = from.dims[1],
                   .in_w = from.dims[2],
                   .in_stride_n = in.stride(0) * size,
                   .in_stride_h = from.strides[1] * size,
                   .in_stride_w = from.strides[2] * size,
                   .out_n = out.dim(0),
                   .out_h = to.dims[1],
                   .out_w = to.dims[2],
                   .first_n = 0,
                   .first_y = 0,
                   .first_x = 0,
                   .rank = in.rank,
                   .out_stride_n = out.stride(0) * size,
                   .out_stride_h = to.strides[1] * size,
                   .out_stride_w = to.strides[2] * size,
                   .y = windows[1],
                   .x = windows[2],
                   .dense_rows = false};
    g.dense_rows = runner_.dense_rows(g.x, from.strides[2]);
    const int64_t rows = args.rows.end - args.rows.begin;
    if (row_axis_ == 0) {
      g.first_n = args.rows.begin;
      g.out_n = rows;
      g.in += g.first_n * g.in_stride_n;
      g.out += g.first_n * g.out_stride_n;
    } else if (row_axis_ == 2 && in.rank == 4) {
      g.first_y = args.rows.begin;
      g.out_h = rows;
    } else if (row_axis_ == in.rank - 1) {  // rank 3's only spatial axis, too
      g.first_x = args.rows.begin;
      g.out_w = rows;
    }
    return g;
  }

  ConvRunner runner_;
  std::vector<ops::Epilogue> epilogues_;
  int row_axis_;
};

class IndirectConv final : public Tactic {
 public:
  IndirectConv(std::string_view name, const StripKernels& kernels) : name_(name), kernels_(kernels) {}

  std::string_view name() const override { return name_; }
  int version() const override { return 2; }

  Support supports(const OpCall& call) const override {
    const Support support = conv_supported(call, kernels_);
    if (!support) return support;
    const CallOperand& x = call.in[0];
    MEML_REFUSE_IF(x.type.dtype != call.out[0].type.dtype, "input is {}, needs {}", x.type.dtype,
                   call.out[0].type.dtype);
    MEML_REFUSE_IF(x.order.axes[x.order.rank - 1u] != 1, "input order {} does not end in the channels", x.order.text());
    return Support::yes();
  }

  Workspace workspace(const OpCall& call, int) const override {
    return {.shared = 0, .per_thread = ConvChunk(ConvShape(call), kernels_, call.epilogues.size()).workspace()};
  }

  double stored_cost(const OpCall& call) const override {
    return 1000 + ConvShape(call).products(call, kernels_) / products_per_ns(kernels_);
  }

  uint64_t may_overwrite(const OpCall& call) const override { return epilogue_may_overwrite(call); }
  bool rows_independent(const OpCall& call) const override { return call.row_axis != 1; }

  uint64_t packs(const OpCall&) const override { return uint64_t{1} << 1; }

  int64_t packed_bytes(const OpCall& call) const override {
    return ConvRunner::packed_bytes(ConvShape(call), kernels_);
  }

  Status pack(const OpCall& call, std::span<std::byte> out) const override {
    const ConvShape shape(call);
    shape.pack(call, shape.packed(kernels_), out.data());
    ConvRunner::pack_tail(shape, kernels_, call.in[1].value, out.data());
    return {};
  }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte> packed) const override {
    return std::make_unique<ConvKernel>(call, kernels_, packed);
  }

 private:
  std::string name_;
  StripKernels kernels_;
};

}  // namespace

std::unique_ptr<Tactic> indirect_conv_tactic(std::string_view name, const StripKernels& kernels) {
  return std::make_unique<IndirectConv>(name, kernels);
}

}  // namespace memline::cpu

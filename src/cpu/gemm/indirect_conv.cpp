// Convolution as an indirect batch-reduce GEMM.
//   * Layout: x [N, C, (H,) W], channels innermost with any other strides, and y likewise. Weights are packed as
//     [group][block][tap][k][width] (packed_blocks.h), followed by kernel_w * C/group zeros for the padding.
//   * Tiling: tasks of up to kPixels output pixels by a range of channel blocks. Within a task the pointers are made
//     once, and each block's weights are read from L2 for all pixels.
//   * Sum: taps in row-major order, then input channels, one accumulator: independent of batch, rows, tasks, threads.
//   * Limits: rank 3 or 4, constant weights, f32 (bf16 with the bf16 kernels), f32 bias.
//   * Measured (AVX2 on Zen 3, one thread of two virtual CPUs, 2026-12-01, bench_conv, SiLU fused): all convolutions of
//     ResNet-50 in 0.95 of oneDNN 3.2's time, of person-seg in 0.96; 85 GFLOP/s where tiles are full (64->64 3x3 on
//     160x160), 0.76 of two multipliers at 3.5 GHz.
#include "cpu/gemm/indirect_conv.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "cpu/gemm/conv_pixels.h"
#include "cpu/gemm/conv_shape.h"
#include "cpu/gemm/work_shares.h"

namespace memline::cpu {
namespace {

class ConvKernel final : public Kernel {
 public:
  ConvKernel(const OpCall& call, const StripKernels& kernels, std::span<const std::byte> packed)
      : kernels_(kernels),
        shape_(call),
        packed_shape_(shape_.packed(kernels)),
        chunk_(shape_, kernels, call.epilogues.size()),
        epilogues_(call.epilogues),
        row_axis_(call.row_axis),
        packed_(packed.data()) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView& out = args.out[0];
    const ConvGeometry geometry = make_geometry(args);
    const StripEpilogue epilogue(epilogues_, shape_.has_bias ? args.in[2].as<const float>() : nullptr, args.in, out, 1);
    const WorkShares shares(geometry.pixels(), chunk_.pixels, shape_.attrs.group, packed_shape_.blocks.count(),
                            args.parallel->width(), kernels_.chunk_unit);
    const int64_t scratch = chunk_.workspace();
    args.parallel->for_each(shares.tasks(), [&](int64_t task, int participant) {
      ConvPixels pixels(args.workspace.data() + participant * scratch, chunk_, geometry, epilogue);
      const StripSession session(kernels_, shape_.depth);
      run_task(epilogue, shares, task, pixels);
    });
    return {};
  }

 private:
  ConvGeometry make_geometry(const KernelArgs& args) const {
    const TensorView &in = args.in[0], &out = args.out[0];
    const ops::Spatial from(in), to(out);
    const auto windows = ops::windows3(shape_.attrs, from, {1, shape_.kernel_h, shape_.kernel_w}, in.rank);
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
    // Tiles sum a tap in parts, so a row of taps would be another order: they take one form only.
    g.dense_rows = g.x.kernel == 1 || (!kernels_.tiles && shape_.attrs.group == 1 && g.x.dilation == 1 &&
                                       from.strides[2] == shape_.depth && shape_.depth % kernels_.pair == 0);
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

  void run_task(const StripEpilogue& epilogue, const WorkShares& shares, int64_t task, ConvPixels& pixels) const {
    const auto [group, begin, end, first, last] = shares.task(task);
    const int64_t group_bytes = packed_shape_.bytes();
    const std::byte* zeros = packed_ + shape_.attrs.group * group_bytes;
    pixels.list(begin, end, group * shape_.depth * packed_shape_.element_bytes(), zeros);
    for (int64_t block = first; block < last; ++block) {
      const std::byte* weights = packed_ + group * group_bytes + packed_shape_.block_offset(block);
      run_strip(pixels, epilogue, group, block, weights);
    }
  }

  void run_strip(const ConvPixels& pixels, const StripEpilogue& epilogue, int64_t group, int64_t block,
                 const std::byte* weights) const {
    const PixelList& list = pixels.pixels();
    const BlockLayout& blocks = packed_shape_.blocks;
    StripArgs strip{.inputs = list.inputs,
                    .input_stride = list.capacity,
                    .taps = pixels.by_row() ? shape_.kernel_h : shape_.taps(),
                    .depth = pixels.by_row() ? shape_.kernel_w * shape_.depth : shape_.depth,
                    .weights = weights,
                    .pixels = list.count,
                    .outputs = list.outputs,
                    .first_channel = group * shape_.outputs + blocks.first_channel(block),
                    .channels = blocks.channels(block)};
    epilogue.fill(strip, list.offsets);
    kernels_.strip[blocks.vectors(block)](strip);
  }

  StripKernels kernels_;
  ConvShape shape_;
  PackedShape packed_shape_;
  ConvChunk chunk_;
  std::vector<ops::Epilogue> epilogues_;
  int row_axis_;
  const std::byte* packed_;
};

class IndirectConv final : public Tactic {
 public:
  IndirectConv(std::string_view name, const StripKernels& kernels) : name_(name), kernels_(kernels) {}

  std::string_view name() const override { return name_; }

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
    const ConvShape shape(call);
    const PackedShape packed = shape.packed(kernels_);
    return packed.bytes() * shape.attrs.group + zero_bytes(shape, packed);
  }

  Status pack(const OpCall& call, std::span<std::byte> out) const override {
    const ConvShape shape(call);
    const PackedShape packed = shape.packed(kernels_);
    shape.pack(call, packed, out.data());
    std::memset(out.data() + packed.bytes() * shape.attrs.group, 0, static_cast<size_t>(zero_bytes(shape, packed)));
    return {};
  }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte> packed) const override {
    return std::make_unique<ConvKernel>(call, kernels_, packed);
  }

 private:
  static int64_t zero_bytes(const ConvShape& shape, const PackedShape& packed) {
    return align_up(shape.kernel_w * shape.depth * packed.element_bytes(), 64);
  }

  std::string name_;
  StripKernels kernels_;
};

}  // namespace

std::unique_ptr<Tactic> indirect_conv_tactic(std::string_view name, const StripKernels& kernels) {
  return std::make_unique<IndirectConv>(name, kernels);
}

}  // namespace memline::cpu

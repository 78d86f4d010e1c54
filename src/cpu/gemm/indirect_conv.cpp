// Convolution as an indirect batch-reduce GEMM.
//   layout   x [N, C, (H,) W], channels innermost with any other strides; y the same. Weights packed
//   [group][block][tap][k][width]
//            (packed_blocks.h), then kernel_w * C/group zeros for the padding.
//   tiling   tasks of up to kPixels output pixels by a range of channel blocks; within a task the pointers are made
//   once and
//            each block's weights are read from L2 for all pixels.
//   sum      taps in row-major order, then input channels, one accumulator: independent of batch, rows, tasks and
//   threads. limits   rank 3 or 4, constant weights, f32 (bf16 with the bf16 kernels); bias f32.
#include "cpu/gemm/indirect_conv.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "cpu/gemm/conv_pixels.h"
#include "cpu/gemm/packed_blocks.h"
#include "cpu/gemm/work_shares.h"
#include "ops/conv.h"
#include "ops/reference.h"

namespace memline::cpu {
namespace {

constexpr int64_t kPixels = 96;            // a multiple of every tile: 4, 6, 8, 12
constexpr int64_t kTableBytes = 64 << 10;  // pointers of a chunk, so that large kernels leave room in L2

struct ConvShape {
  ops::ConvAttrs attrs;
  int rank = 4;
  int64_t kernel_h = 1, kernel_w = 1, depth = 1, outputs = 1;  // depth, outputs: channels a group

  explicit ConvShape(const OpCall& call) : attrs(call.attrs.as<ops::ConvAttrs>()) {
    const std::vector<int64_t>& w = call.in[1].max_dims;
    rank = static_cast<int>(w.size());
    kernel_w = w.back();
    kernel_h = rank == 4 ? w[2] : 1;
    depth = w[1];
    outputs = w[0] / attrs.group;
  }
  int64_t taps() const { return kernel_h * kernel_w; }
  int64_t chunk() const { return std::clamp<int64_t>(kTableBytes / (taps() * 8) / 24 * 24, 24, kPixels); }
  PackedShape packed(const StripKernels& kernels) const {
    return {.blocks = BlockLayout(kernels, outputs), .taps = taps(), .depth = depth, .pair = kernels.pair};
  }
};

class ConvKernel final : public Kernel {
 public:
  ConvKernel(const OpCall& call, const StripKernels& kernels, std::span<const std::byte> packed)
      : kernels_(kernels),
        shape_(call),
        packed_shape_(shape_.packed(kernels)),
        epilogues_(call.epilogues),
        has_bias_(call.base_inputs > 2 && call.in[2].present),
        row_axis_(call.row_axis),
        packed_(packed.data()) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView& out = args.out[0];
    const ConvGeometry geometry = make_geometry(args);
    const StripEpilogue epilogue(epilogues_, has_bias_ ? args.in[2].as<const float>() : nullptr, args.in, out, 1);
    const WorkShares shares(geometry.pixels(), shape_.chunk(), shape_.attrs.group, packed_shape_.blocks.count(),
                            args.parallel->width());
    const int64_t steps = static_cast<int64_t>(epilogues_.size());
    const int64_t scratch = ConvPixels::bytes(shape_.chunk(), shape_.kernel_h, shape_.kernel_w, steps);
    args.parallel->for_each(shares.tasks(), [&](int64_t task, int participant) {
      ConvPixels pixels(args.workspace.data() + participant * scratch, shape_.chunk(), geometry, epilogue);
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
    g.dense_rows = shape_.attrs.group == 1 && g.x.dilation == 1 && from.strides[2] == shape_.depth &&
                   shape_.depth % kernels_.pair == 0;
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
      run_strip(pixels.by_row(), shape_.kernel_h, shape_.kernel_w * shape_.depth, epilogue, group, block, weights);
      run_strip(pixels.by_tap(), shape_.taps(), shape_.depth, epilogue, group, block, weights);
    }
  }

  void run_strip(const PixelList& list, int64_t taps, int64_t depth, const StripEpilogue& epilogue, int64_t group,
                 int64_t block, const std::byte* weights) const {
    if (list.count == 0) return;
    const BlockLayout& blocks = packed_shape_.blocks;
    StripArgs strip{.inputs = list.inputs,
                    .input_stride = list.capacity,
                    .taps = taps,
                    .depth = depth,
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
  std::vector<ops::Epilogue> epilogues_;
  bool has_bias_;
  int row_axis_;
  const std::byte* packed_;
};

class IndirectConv final : public Tactic {
 public:
  IndirectConv(std::string_view name, const StripKernels& kernels) : name_(name), kernels_(kernels) {}

  std::string_view name() const override { return name_; }

  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "Conv" || !call.op->domain.empty(), "the op is not Conv");
    const DType dtype = kernels_.pair == 1 ? DType::f32 : DType::bf16;
    const CallOperand &x = call.in[0], &w = call.in[1], &y = call.out[0];
    MEML_REFUSE_IF(x.type.dtype != dtype, "input is {}, needs {}", x.type.dtype, dtype);
    MEML_REFUSE_IF(y.type.dtype != dtype, "output is {}, needs {}", y.type.dtype, dtype);
    MEML_REFUSE_IF(!w.is_constant, "weights are computed at run time");
    const int rank = x.type.rank();
    MEML_REFUSE_IF(rank != 3 && rank != 4, "rank is {}, needs 3 or 4", rank);
    MEML_REFUSE_IF(x.order.axes[static_cast<size_t>(rank - 1)] != 1, "input order {} does not end in the channels",
                   x.order.text());
    MEML_REFUSE_IF(y.order.axes[static_cast<size_t>(rank - 1)] != 1, "output order {} does not end in the channels",
                   y.order.text());
    if (call.base_inputs > 2 && call.in[2].present)
      MEML_REFUSE_IF(call.in[2].type.dtype != DType::f32, "bias is {}, needs f32", call.in[2].type.dtype);
    return epilogue_supported(call);
  }

  Workspace workspace(const OpCall& call, int) const override {
    const ConvShape shape(call);
    return {.shared = 0,
            .per_thread = ConvPixels::bytes(shape.chunk(), shape.kernel_h, shape.kernel_w,
                                            static_cast<int64_t>(call.epilogues.size()))};
  }

  double stored_cost(const OpCall& call) const override {
    const ConvShape shape(call);
    double products = static_cast<double>(shape.taps()) * static_cast<double>(align_up(shape.depth, kernels_.pair)) *
                      static_cast<double>(shape.packed(kernels_).blocks.padded_channels() * shape.attrs.group);
    for (size_t axis = 0; axis < call.out[0].max_dims.size(); ++axis)
      if (axis != 1) products *= static_cast<double>(call.out[0].max_dims[axis]);
    return 1000 + products / (kernels_.lanes * kernels_.pair *
                              5.5);  // 5.5 multiplications a lane and ns: 0.85 of 3.2 GHz with two units
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
    const TensorView& w = call.in[1].value;
    std::byte* next = out.data();
    for (int64_t group = 0; group < shape.attrs.group; ++group) {
      for (int64_t block = 0; block < packed.blocks.count(); ++block) {
        pack_block(packed, block, next, [&](int64_t channel, int64_t tap, int64_t k) {
          int64_t at = (group * shape.outputs + channel) * w.stride(0) + k * w.stride(1) +
                       tap % shape.kernel_w * w.stride(w.rank - 1);
          if (w.rank == 4) at += tap / shape.kernel_w * w.stride(2);
          return ops::load<float>(w, at);
        });
        next += packed.block_bytes(packed.blocks.width(block));
      }
    }
    std::memset(next, 0, static_cast<size_t>(zero_bytes(shape, packed)));
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

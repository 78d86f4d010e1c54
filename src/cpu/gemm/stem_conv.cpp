// Convolution of few channels. A task copies the input rows under a band of output rows so that the window of a pixel
// is contiguous in each row (interleaved_rows.h): then a strip has kernel_h taps of kernel_w * C inputs, no pixel is
// special, and x may be row-major.
//   * Layout: x f32 (for the bf16 kernels f32 or bf16) with any strides; y channels innermost. Weights as in
//     indirect_conv.cpp, which gives the same bits (but for tiles: their parts of a row are not parts of a tap).
//   * Limits: rank 4, one group, at most 16 channels (32 for tiles), no dilation along W, constant weights.
#include "cpu/gemm/stem_conv.h"

#include <algorithm>
#include <string>

#include "cpu/gemm/conv_shape.h"
#include "cpu/gemm/interleaved_rows.h"
#include "cpu/gemm/pixel_list.h"
#include "cpu/gemm/strip_epilogue.h"

namespace memline::cpu {
namespace {

constexpr int64_t kMaxChannels = 16;
// Tiles take up to 32 products of a pixel at once: a row of taps fills them where a tap does not, and copied rows lie
// at one pitch. 16->16 3x3 at 160x160 takes 0.24 ms for 0.42, 32->32 at 80x80 0.12 for 0.16; 48 channels gain nothing
// (Xeon with AMX, one thread, 2026-12-01).
constexpr int64_t kMaxTileChannels = 32;
constexpr int64_t kChannelsWorthCopying = 4;  // of channels-last input
constexpr int64_t kPixels = 192;              // of one strip
constexpr int64_t kRowBytes = 128 << 10;      // of the copied rows: they stay in L2
constexpr int64_t kMostRows = 32;

// What a kernel and its workspace agree on. Everything is made for the widest picture.
struct Band {
  int64_t rows, in_rows, row_bytes;  // output rows of a task, input rows under them

  Band(const OpCall& call, const ConvShape& shape, const StripKernels& kernels) {
    const ops::Window y = ops::window(shape.attrs, 0, shape.kernel_h, call.in[0].max_dims[2]);
    const ops::Window x = ops::window(shape.attrs, 1, shape.kernel_w, call.in[0].max_dims[3]);
    row_bytes = columns(x, call.out[0].max_dims[3]) * shape.copied_channels(kernels) * (kernels.pair == 1 ? 4 : 2);
    const int64_t fit = row_bytes == 0 ? kMostRows : (kRowBytes / row_bytes - y.extent()) / y.stride + 1;
    rows = std::clamp<int64_t>(fit, 1, kMostRows);
    in_rows = (rows - 1) * y.stride + y.extent();
  }
  static int64_t columns(const ops::Window& x, int64_t out_width) {
    return out_width == 0 ? 0 : (out_width - 1) * x.stride + x.extent();
  }
  int64_t copy_bytes() const { return align_up(in_rows * row_bytes, 64); }
  int64_t bytes(const ConvShape& shape, int64_t steps) const {
    return copy_bytes() + PixelList::bytes(kPixels, shape.kernel_h, steps);
  }
};

class StemKernel final : public Kernel {
 public:
  StemKernel(const OpCall& call, const StripKernels& kernels, std::span<const std::byte> packed)
      : kernels_(kernels),
        shape_(call),
        band_(call, shape_, kernels),
        packed_shape_(shape_.packed_by_row(kernels)),
        epilogues_(call.epilogues),
        row_axis_(call.row_axis),
        packed_(packed.data()) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView &in = args.in[0], &out = args.out[0];
    Run run{.out = out,
            .epilogue = {epilogues_, shape_.has_bias ? args.in[2].as<const float>() : nullptr, args.in, out, 1},
            .y = ops::window(shape_.attrs, 0, shape_.kernel_h, in.dim(2)),
            .x = ops::window(shape_.attrs, 1, shape_.kernel_w, in.dim(3)),
            .rows = {in, 0, 0, out.dtype, shape_.copied_channels(kernels_), kernels_.interleave_planes}};
    run.rows.pad_left = run.x.pad_begin;
    run.rows.columns = Band::columns(run.x, out.dim(3));
    const bool cut_n = row_axis_ == 0, cut_y = row_axis_ == 2;
    const int64_t n0 = cut_n ? args.rows.begin : 0, n1 = cut_n ? args.rows.end : out.dim(0);
    const int64_t y0 = cut_y ? args.rows.begin : 0, y1 = cut_y ? args.rows.end : out.dim(2);
    const int64_t bands = ceil_div(y1 - y0, band_.rows), steps = static_cast<int64_t>(epilogues_.size());
    args.parallel->for_each((n1 - n0) * bands, [&](int64_t task, int participant) {
      const int64_t first = y0 + task % bands * band_.rows;
      run_band(run, n0 + task / bands, first, std::min(first + band_.rows, y1),
               args.workspace.data() + participant * band_.bytes(shape_, steps));
    });
    return {};
  }

 private:
  struct Run {
    const TensorView& out;
    StripEpilogue epilogue;
    ops::Window y, x;
    InterleavedRows rows;
  };

  void run_band(const Run& run, int64_t n, int64_t y0, int64_t y1, std::byte* scratch) const {
    const std::byte* copies = scratch;
    const int64_t in_y = run.y.start(y0), row_bytes = run.rows.row_bytes();
    for (int64_t r = 0; r < (y1 - y0 - 1) * run.y.stride + run.y.extent(); ++r)
      run.rows.copy(n, in_y + r, scratch + r * row_bytes);
    scratch += band_.copy_bytes();
    PixelList list = PixelList::carve(scratch, kPixels, shape_.kernel_h, static_cast<int64_t>(epilogues_.size()));
    const StripSession session(kernels_, packed_shape_.depth);
    for (int64_t y = y0; y < y1; ++y) {
      const std::byte* top = copies + (y - y0) * run.y.stride * row_bytes;
      for (int64_t x = 0; x < run.out.dim(3); x += kPixels) {
        list.count = std::min(kPixels, run.out.dim(3) - x);
        fill(run, top, n, y, x, list);
        for (int64_t block = 0; block < packed_shape_.blocks.count(); ++block) run_strip(run, list, block);
      }
    }
  }

  void fill(const Run& run, const std::byte* top, int64_t n, int64_t y, int64_t x, PixelList& list) const {
    const int64_t step = run.x.stride * shape_.copied_channels(kernels_) * packed_shape_.element_bytes(),
                  row_bytes = run.rows.row_bytes();
    for (int64_t ky = 0; ky < shape_.kernel_h; ++ky) {
      const std::byte* row = top + ky * run.y.dilation * row_bytes + x * step;
      for (int64_t i = 0; i < list.count; ++i) list.inputs[ky * list.capacity + i] = row + i * step;
    }
    const TensorView& out = run.out;
    const int64_t size = size_of(out.dtype);
    std::byte* to = out.as<std::byte>() + (n * out.stride(0) + y * out.stride(2) + x * out.stride(3)) * size;
    for (int64_t i = 0; i < list.count; ++i) list.outputs[i] = to + i * out.stride(3) * size;
    for (int s = 0; s < run.epilogue.steps(); ++s) {
      if (!run.epilogue.has_operand(s)) continue;
      const auto& strides = run.epilogue.strides(s);
      for (int64_t i = 0; i < list.count; ++i)
        list.offsets[s][i] = n * strides[0] + y * strides[2] + (x + i) * strides[3];
    }
  }

  void run_strip(const Run& run, const PixelList& list, int64_t block) const {
    const BlockLayout& blocks = packed_shape_.blocks;
    StripArgs strip{.inputs = list.inputs,
                    .input_stride = list.capacity,
                    .taps = packed_shape_.taps,
                    .depth = packed_shape_.depth,
                    .weights = packed_ + packed_shape_.block_offset(block),
                    .pixels = list.count,
                    .outputs = list.outputs,
                    .first_channel = blocks.first_channel(block),
                    .channels = blocks.channels(block)};
    run.epilogue.fill(strip, list.offsets);
    kernels_.strip[blocks.vectors(block)](strip);
  }

  StripKernels kernels_;
  ConvShape shape_;
  Band band_;
  PackedShape packed_shape_;
  std::vector<ops::Epilogue> epilogues_;
  int row_axis_;
  const std::byte* packed_;
};

class StemConv final : public Tactic {
 public:
  StemConv(std::string_view name, const StripKernels& kernels) : name_(name), kernels_(kernels) {}

  std::string_view name() const override { return name_; }

  Support supports(const OpCall& call) const override {
    const Support support = conv_supported(call, kernels_);
    if (!support) return support;
    const ConvShape shape(call);
    const DType x = call.in[0].type.dtype, y = call.out[0].type.dtype;
    MEML_REFUSE_IF(x != DType::f32 && x != y, "input is {}, needs f32 or the output's {}", x, y);
    MEML_REFUSE_IF(shape.rank != 4, "rank is {}, needs 4", shape.rank);
    MEML_REFUSE_IF(shape.attrs.group != 1, "{} groups, needs 1", shape.attrs.group);
    const int64_t most = kernels_.tiles ? kMaxTileChannels : kMaxChannels;
    MEML_REFUSE_IF(shape.depth > most, "{} input channels, at most {} are copied", shape.depth, most);
    const AxisOrder& order = call.in[0].order;
    MEML_REFUSE_IF(order.axes[3] == 1 && shape.depth > kChannelsWorthCopying && !kernels_.tiles,
                   "{} input channels that lie together need no copy", shape.depth);
    const int64_t dilation = ops::window(shape.attrs, 1, shape.kernel_w, 1).dilation;
    MEML_REFUSE_IF(dilation != 1, "dilation along W is {}, needs 1", dilation);
    return Support::yes();
  }

  Workspace workspace(const OpCall& call, int) const override {
    const ConvShape shape(call);
    return {.shared = 0,
            .per_thread = Band(call, shape, kernels_).bytes(shape, static_cast<int64_t>(call.epilogues.size()))};
  }

  // A nanosecond for four copied elements, each about kernel_h / stride times at worst.
  double stored_cost(const OpCall& call) const override {
    double elements = 1;
    for (const int64_t d : call.in[0].max_dims) elements *= static_cast<double>(d);
    return 1000 + ConvShape(call).products(call, kernels_) / products_per_ns(kernels_) + elements / 4;
  }

  uint64_t may_overwrite(const OpCall& call) const override { return epilogue_may_overwrite(call); }
  bool rows_independent(const OpCall& call) const override { return call.row_axis == 0 || call.row_axis == 2; }

  uint64_t packs(const OpCall&) const override { return uint64_t{1} << 1; }
  int64_t packed_bytes(const OpCall& call) const override { return ConvShape(call).packed_by_row(kernels_).bytes(); }
  Status pack(const OpCall& call, std::span<std::byte> out) const override {
    const ConvShape shape(call);
    shape.pack(call, shape.packed_by_row(kernels_), out.data());
    return {};
  }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte> packed) const override {
    return std::make_unique<StemKernel>(call, kernels_, packed);
  }

 private:
  std::string name_;
  StripKernels kernels_;
};

}  // namespace

std::unique_ptr<Tactic> stem_conv_tactic(std::string_view name, const StripKernels& kernels) {
  return std::make_unique<StemConv>(name, kernels);
}

}  // namespace memline::cpu

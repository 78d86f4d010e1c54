// Resize, modes linear and cubic.
//   layout   x [N, C, H, W] with channels innermost, any other strides, f32 or bf16; y alike, or row-major: then an
//            output row is made in scratch and turned, so that a model's output needs no copy.
//   tiling   a unit of work is an output row by a chunk of channels whose interpolated columns stay in L1
//            (resize.inl.h); a task is a run of units. The weights of the columns are in a table made once a run.
//   sum      rows, then columns: independent of batch, rows, tasks and threads.
//   speed    linear x2 of 64 channels at 80x80: 2.0 ms, 3.4 GB/s written (Zen 3, AVX2, one thread, 2 vCPU shared with
//            other work, 2026-12-01); not tuned.
#include "cpu/resize/resize_tactic.h"

#include <algorithm>
#include <string>

#include "base/size.h"
#include "cpu/copy/copy_kernels.h"
#include "cpu/resize/resize_call.h"

namespace memline::cpu {
namespace {

constexpr int64_t kScratchFloats = 8192;

// At the bounds.
struct ResizeShape {
  int64_t chunk, scratch_floats, table_bytes;
  bool turned;           // y is row-major
  int64_t turned_bytes;  // of an output row, channels innermost; 0 where y is so itself

  ResizeShape(const OpCall& call, int lanes) {
    const std::vector<int64_t>& x = call.in[0].max_dims;
    const int64_t padded = align_up(std::max<int64_t>(x[1], 1), lanes), width = std::max<int64_t>(x[3], 1);
    chunk = std::min(std::max<int64_t>(kScratchFloats / width / lanes * lanes, 2 * lanes), padded);
    scratch_floats = align_up(width * chunk, 16);
    const int64_t out_width = call.out[0].max_dims[3];
    table_bytes = align_up(out_width * static_cast<int64_t>(sizeof(ResizeWeights)), 64);
    turned = call.out[0].order.axes[3] == 3;
    turned_bytes = turned ? align_up(out_width * chunk * size_of(call.out[0].type.dtype), 64) : 0;
  }
  int64_t participant_bytes() const {
    return align_up(scratch_floats * static_cast<int64_t>(sizeof(float)), 64) + turned_bytes;
  }
};

class ResizeKernel final : public Kernel {
 public:
  ResizeKernel(const OpCall& call, const ResizeKernels& kernels)
      : attrs_(call.attrs.as<ops::ResizeAttrs>()),
        shape_(call, kernels.lanes),
        run_row_(call.out[0].type.dtype == DType::bf16 ? kernels.row_bf16 : kernels.row_f32),
        turn_(copy_kernels_avx2(call.out[0].type.dtype, call.out[0].type.dtype).tile),
        row_axis_(call.row_axis) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView& out = args.out[0];
    const ops::ResizeAxes axes = ops::resize_axes(attrs_, args.in, out);
    auto* const columns = reinterpret_cast<ResizeWeights*>(args.workspace.data());
    for (int64_t x = 0; x < out.dim(3); ++x) columns[x] = resize_weights(attrs_, axes[3], x);
    ops::RowRange pictures{0, out.dim(0)}, rows{0, out.dim(2)};
    if (row_axis_ == 0) pictures = args.rows;
    if (row_axis_ == 2) rows = args.rows;
    const int64_t row_count = rows.end - rows.begin, chunks = ceil_div(out.dim(1), shape_.chunk);
    const int64_t units = (pictures.end - pictures.begin) * row_count * chunks;
    const int64_t tasks = std::min<int64_t>(units, 4 * args.parallel->width());
    args.parallel->for_each(tasks, [&](int64_t task, int participant) {
      std::byte* const scratch = args.workspace.data() + shape_.table_bytes + participant * shape_.participant_bytes();
      for (int64_t unit = units * task / tasks; unit < units * (task + 1) / tasks; ++unit) {
        const int64_t row = unit / chunks, y = rows.begin + row % row_count;
        const ResizeWeights weights = resize_weights(attrs_, axes[2], y);
        run_unit(args, pictures.begin + row / row_count, y, weights, columns, unit % chunks * shape_.chunk, scratch);
      }
    });
    return {};
  }

 private:
  void run_unit(const KernelArgs& args, int64_t n, int64_t y, const ResizeWeights& weights,
                const ResizeWeights* columns, int64_t channel, std::byte* scratch) const noexcept {
    const TensorView &in = args.in[0], &out = args.out[0];
    const int64_t size = size_of(in.dtype), channels = std::min(shape_.chunk, out.dim(1) - channel);
    std::byte* const target =
        out.as<std::byte>() + (n * out.stride(0) + y * out.stride(2) + channel * out.stride(1)) * size;
    std::byte* const row = shape_.turned ? scratch : target;
    run_row_({.in = in.as<const std::byte>() + (n * in.stride(0) + channel) * size,
              .in_h = in.stride(2),
              .in_w = in.stride(3),
              .out = row,
              .out_w = shape_.turned ? shape_.chunk : out.stride(3),
              .width = in.dim(3),
              .out_width = out.dim(3),
              .y = &weights,
              .columns = columns,
              .channels = channels,
              .scratch = reinterpret_cast<float*>(scratch + shape_.turned_bytes)});
    if (shape_.turned) turn_(row, shape_.chunk, target, out.stride(1), channels, out.dim(3));
  }

  ops::ResizeAttrs attrs_;
  ResizeShape shape_;
  void (*run_row_)(const ResizeRow& row);
  decltype(CopyKernels::tile) turn_;
  int row_axis_;
};

class ResizeTactic final : public Tactic {
 public:
  ResizeTactic(std::string_view name, const ResizeKernels& kernels) : name_(name), kernels_(kernels) {}

  std::string_view name() const override { return name_; }

  Support supports(const OpCall& call) const override {
    if (const Support support = resize_supported(call); !support) return support;
    const DType dtype = call.in[0].type.dtype;
    MEML_REFUSE_IF(dtype != DType::f32 && dtype != DType::bf16, "input is {}, needs f32 or bf16", dtype);
    MEML_REFUSE_IF(call.attrs.as<ops::ResizeAttrs>().mode == "nearest", "mode is nearest");
    const AxisOrder& order = call.out[0].order;
    MEML_REFUSE_IF(order.axes[3] != 1 && !order.is_row_major(), "output order is {}, needs 0231 or 0123", order.text());
    return Support::yes();
  }
  Workspace workspace(const OpCall& call, int) const override {
    const ResizeShape shape(call, kernels_.lanes);
    return {.shared = shape.table_bytes, .per_thread = shape.participant_bytes()};
  }
  // 1 ns a register and tap of either pass.
  double stored_cost(const OpCall& call) const override {
    const std::vector<int64_t>&x = call.in[0].max_dims, &y = call.out[0].max_dims;
    const double taps = call.attrs.as<ops::ResizeAttrs>().mode == "cubic" ? 4 : 2;
    const auto registers = static_cast<double>(ceil_div(x[1], kernels_.lanes) * y[0] * y[2]);
    return 500 + registers * (static_cast<double>(x[3]) + static_cast<double>(y[3])) * taps;
  }
  bool rows_independent(const OpCall& call) const override { return call.row_axis == 0 || call.row_axis == 2; }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    return std::make_unique<ResizeKernel>(call, kernels_);
  }

 private:
  std::string name_;
  ResizeKernels kernels_;
};

}  // namespace

std::unique_ptr<Tactic> resize_tactic(std::string_view name, const ResizeKernels& kernels) {
  return std::make_unique<ResizeTactic>(name, kernels);
}

}  // namespace memline::cpu

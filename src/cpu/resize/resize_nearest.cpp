// Resize, mode nearest: whole pixels are copied.
//   layout   x and y [N, C, H, W] with channels innermost, any other strides, any dtype.
//   tiling   a task is a run of output rows; the source column of each output column is in a table made once a run.
//   speed    x2 of 128 channels at 20x20: 0.038 ms, 22 GB/s written (Zen 3, one thread, 2 vCPU shared, 2026-12-01).
#include <algorithm>
#include <cstring>

#include "base/size.h"
#include "cpu/resize/resize_call.h"
#include "cpu/resize/resize_tactic.h"

namespace memline::cpu {
namespace {

class NearestKernel final : public Kernel {
 public:
  explicit NearestKernel(const OpCall& call) : attrs_(call.attrs.as<ops::ResizeAttrs>()), row_axis_(call.row_axis) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView &in = args.in[0], &out = args.out[0];
    const ops::ResizeAxes axes = ops::resize_axes(attrs_, args.in, out);
    auto* const columns = reinterpret_cast<int64_t*>(args.workspace.data());  // byte offsets
    for (int64_t x = 0; x < out.dim(3); ++x)
      columns[x] = resize_weights(attrs_, axes[3], x).index[0] * in.stride(3) * size_of(in.dtype);
    ops::RowRange pictures{0, out.dim(0)}, rows{0, out.dim(2)};
    if (row_axis_ == 0) pictures = args.rows;
    if (row_axis_ == 2) rows = args.rows;
    const int64_t row_count = rows.end - rows.begin, units = (pictures.end - pictures.begin) * row_count;
    const int64_t tasks = std::min<int64_t>(units, 4 * args.parallel->width());
    args.parallel->for_each(tasks, [&](int64_t task, int) {
      for (int64_t unit = units * task / tasks; unit < units * (task + 1) / tasks; ++unit) {
        const int64_t n = pictures.begin + unit / row_count, y = rows.begin + unit % row_count;
        copy_row(in, out, columns, n, resize_weights(attrs_, axes[2], y).index[0], y);
      }
    });
    return {};
  }

 private:
  static void copy_row(const TensorView& in, const TensorView& out, const int64_t* columns, int64_t n, int64_t from_y,
                       int64_t y) noexcept {
    const int64_t size = size_of(in.dtype), step = out.stride(3) * size;
    const auto pixel = static_cast<size_t>(out.dim(1) * size);
    const std::byte* const from = in.as<const std::byte>() + (n * in.stride(0) + from_y * in.stride(2)) * size;
    std::byte* to = out.as<std::byte>() + (n * out.stride(0) + y * out.stride(2)) * size;
    for (int64_t x = 0; x < out.dim(3); ++x, to += step) std::memcpy(to, from + columns[x], pixel);
  }

  ops::ResizeAttrs attrs_;
  int row_axis_;
};

class NearestTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.resize_nearest"; }

  Support supports(const OpCall& call) const override {
    if (const Support support = resize_supported(call); !support) return support;
    const AxisOrder& order = call.out[0].order;
    MEML_REFUSE_IF(order.axes[3] != 1, "output order {} does not end in the channels", order.text());
    const std::string& mode = call.attrs.as<ops::ResizeAttrs>().mode;
    MEML_REFUSE_IF(mode != "nearest", "mode is {}, needs nearest", mode);
    return Support::yes();
  }
  Workspace workspace(const OpCall& call, int) const override {
    return {.shared = align_up(call.out[0].max_dims[3] * static_cast<int64_t>(sizeof(int64_t)), 64), .per_thread = 0};
  }
  double stored_cost(const OpCall& call) const override {
    double pixels = 1;
    for (const size_t axis : {0, 2, 3}) pixels *= static_cast<double>(call.out[0].max_dims[axis]);
    const auto pixel_bytes = static_cast<double>(call.out[0].max_dims[1] * size_of(call.out[0].type.dtype));
    return 500 + pixels * (3 + pixel_bytes / 8);
  }
  bool rows_independent(const OpCall& call) const override { return call.row_axis == 0 || call.row_axis == 2; }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    return std::make_unique<NearestKernel>(call);
  }
};

}  // namespace

std::unique_ptr<Tactic> resize_nearest_tactic() { return std::make_unique<NearestTactic>(); }

}  // namespace memline::cpu

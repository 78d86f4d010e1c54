// GridSample, mode linear over two spatial axes.
//   layout   x [N, C, H, W] with channels innermost, y in any order, f32; the grid in any order, f32
//   tiling   a unit of work is an output row; a task is a run of units
//   sum      the up to four pixels around a position, row by row: each output alone. 1e-6 of the reference.
//   limits   no epilogues
#include <algorithm>
#include <string>

#include "cpu/sampling/sampling_tactics.h"
#include "ops/grid_sample.h"

namespace memline::cpu {
namespace {

// Along one axis: the two elements beside a coordinate, -1 for zero, and their weights.
struct Pair {
  int64_t index[2];
  float weight[2];

  Pair(const ops::GridSampleAxis& axis, float position) {
    const double at = axis.coordinate(position), floor = std::floor(at);
    for (int i = 0; i < 2; ++i) {
      index[i] = axis.index(floor + i);
      weight[i] = static_cast<float>(1 - std::abs(at - (floor + i)));
    }
  }
};

class GridSampleKernel final : public Kernel {
 public:
  GridSampleKernel(const OpCall& call, const SamplingKernels& kernels)
      : attrs_(call.attrs.as<ops::GridSampleAttrs>()), kernels_(kernels), row_axis_(call.row_axis) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView& y = args.out[0];
    ops::RowRange pictures{0, y.dim(0)}, rows{0, y.dim(2)};
    if (row_axis_ == 0) pictures = args.rows;
    if (row_axis_ == 2) rows = args.rows;
    const int64_t row_count = rows.end - rows.begin, units = (pictures.end - pictures.begin) * row_count;
    const int64_t tasks = std::min<int64_t>(units, 4 * args.parallel->width());
    args.parallel->for_each(tasks, [&](int64_t task, int) {
      for (int64_t unit = units * task / tasks; unit < units * (task + 1) / tasks; ++unit)
        sample_row(args, pictures.begin + unit / row_count, rows.begin + unit % row_count);
    });
    return {};
  }

 private:
  void sample_row(const KernelArgs& args, int64_t n, int64_t h) const {
    const TensorView &x = args.in[0], &grid = args.in[1], &y = args.out[0];
    const ops::GridSampleAxis rows{attrs_, x.dim(2)}, columns{attrs_, x.dim(3)};
    const float* const picture = x.as<const float>() + n * x.stride(0);
    const float* position = grid.as<const float>() + n * grid.stride(0) + h * grid.stride(1);
    float* out = y.as<float>() + n * y.stride(0) + h * y.stride(2);
    for (int64_t w = 0; w < y.dim(3); ++w, position += grid.stride(2), out += y.stride(3)) {
      const Pair column(columns, position[0]), row(rows, position[grid.stride(3)]);
      const float* in[4];
      float weights[4];
      int64_t taps = 0;
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
          if (row.index[i] < 0 || column.index[j] < 0) continue;
          in[taps] = picture + row.index[i] * x.stride(2) + column.index[j] * x.stride(3);
          weights[taps++] = row.weight[i] * column.weight[j];
        }
      kernels_.sum({in, weights, taps, y.dim(1), out, y.stride(1)});
    }
  }

  ops::GridSampleAttrs attrs_;
  SamplingKernels kernels_;
  int row_axis_;
};

class GridSampleTactic final : public Tactic {
 public:
  GridSampleTactic(std::string_view name, const SamplingKernels& kernels) : name_(name), kernels_(kernels) {}

  std::string_view name() const override { return name_; }
  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "GridSample" || !call.op->domain.empty(), "the op is not GridSample");
    const CallOperand &x = call.in[0], &grid = call.in[1], &y = call.out[0];
    const std::string& mode = call.attrs.as<ops::GridSampleAttrs>().mode;
    MEML_REFUSE_IF(mode != "linear", "mode is {}, needs linear", mode);
    MEML_REFUSE_IF(x.type.rank() != 4, "rank is {}, needs 4", x.type.rank());
    MEML_REFUSE_IF(x.type.dtype != DType::f32 || grid.type.dtype != DType::f32 || y.type.dtype != DType::f32,
                   "input is {}, grid {}, output {}: needs f32", x.type.dtype, grid.type.dtype, y.type.dtype);
    MEML_REFUSE_IF(x.order.axes[3] != 1, "input order {} does not end in the channels", x.order.text());
    MEML_REFUSE_IF(!call.epilogues.empty(), "takes no epilogues");
    return Support::yes();
  }
  Workspace workspace(const OpCall&, int) const override { return {}; }
  double stored_cost(const OpCall& call) const override {
    const std::vector<int64_t>& y = call.out[0].max_dims;
    return 500 + static_cast<double>(y[0] * y[2] * y[3]) * (40 + 2.0 * static_cast<double>(y[1]) / kernels_.lanes);
  }
  bool rows_independent(const OpCall& call) const override { return call.row_axis == 0 || call.row_axis == 2; }
  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    return std::make_unique<GridSampleKernel>(call, kernels_);
  }

 private:
  std::string name_;
  SamplingKernels kernels_;
};

}  // namespace

std::unique_ptr<Tactic> grid_sample_tactic(std::string_view name, const SamplingKernels& kernels) {
  return std::make_unique<GridSampleTactic>(name, kernels);
}

}  // namespace memline::cpu

// RoiAlign, mode avg.
//   layout   x [N, C, H, W] with channels innermost, y in any order, f32; rois f32
//   tiling   a unit of work is a region's row of bins; a task is a run of units
//   sum      the samples of a bin row by row, four pixels each, kTaps pixels at a time and those sums in order: each
//            output alone. 1e-6 of the reference.
//   limits   no epilogues
#include <algorithm>
#include <string>
#include <vector>

#include "base/size.h"
#include "cpu/sampling/sampling_tactics.h"
#include "ops/reference.h"
#include "ops/roi_align.h"

namespace memline::cpu {
namespace {

constexpr int64_t kTaps = 64;  // of a bin: 16 samples; more are added in parts

class RoiAlignKernel final : public Kernel {
 public:
  RoiAlignKernel(const OpCall& call, const SamplingKernels& kernels)
      : attrs_(call.attrs.as<ops::RoiAlignAttrs>()), kernels_(kernels), row_axis_(call.row_axis) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView& y = args.out[0];
    ops::RowRange regions{0, y.dim(0)}, rows{0, y.dim(2)};
    if (row_axis_ == 0) regions = args.rows;
    if (row_axis_ == 2) rows = args.rows;
    const int64_t row_count = rows.end - rows.begin, units = (regions.end - regions.begin) * row_count;
    const int64_t tasks = std::min<int64_t>(units, 8 * args.parallel->width());
    const int64_t floats = scratch_floats(y.dim(1));
    args.parallel->for_each(tasks, [&](int64_t task, int participant) {
      float* const scratch = reinterpret_cast<float*>(args.workspace.data()) + participant * floats;
      for (int64_t unit = units * task / tasks; unit < units * (task + 1) / tasks; ++unit)
        row_of_bins(args, regions.begin + unit / row_count, rows.begin + unit % row_count, scratch);
    });
    return {};
  }

  // Sums of a bin so far, and one tap that adds them.
  static int64_t scratch_floats(int64_t channels) { return align_up(channels, 16); }

 private:
  // The pixels under a bin's samples, given out kTaps at a time; sums so far are the first tap of the next part.
  struct Taps {
    const SamplingKernels& kernels;
    int64_t channels;
    float* sums;
    const float* in[kTaps];
    float weights[kTaps];
    int64_t count = 0;

    void add(const float* pixel, double weight) {
      if (weight == 0) return;
      if (count == kTaps) {
        kernels.sum({in, weights, count, channels, sums, 1});
        in[0] = sums;
        weights[0] = 1;
        count = 1;
      }
      in[count] = pixel;
      weights[count++] = static_cast<float>(weight);
    }
  };

  void row_of_bins(const KernelArgs& args, int64_t r, int64_t h, float* scratch) const {
    const TensorView &x = args.in[0], &rois = args.in[1], &batch = args.in[2], &y = args.out[0];
    const auto corner = [&](int64_t i) {
      return static_cast<double>(rois.as<const float>()[r * rois.stride(0) + i * rois.stride(1)]);
    };
    const ops::RoiBins rows(attrs_, corner(1), corner(3), y.dim(2)), columns(attrs_, corner(0), corner(2), y.dim(3));
    const int64_t picture = batch.as<const int64_t>()[r * batch.stride(0)];
    const bool known = picture >= 0 && picture < x.dim(0);
    const float* const map = x.as<const float>() + (known ? picture * x.stride(0) : 0);
    const double mean = 1 / ops::samples_of(rows, columns);
    const ops::RowRange is = known ? rows.on_map(h, x.dim(2)) : ops::RowRange{0, 0};
    float* out = y.as<float>() + r * y.stride(0) + h * y.stride(2);
    for (int64_t w = 0; w < y.dim(3); ++w, out += y.stride(3)) {
      Taps taps{.kernels = kernels_, .channels = y.dim(1), .sums = scratch};
      const ops::RowRange js = columns.on_map(w, x.dim(3));
      for (int64_t i = is.begin; i < is.end; ++i) {
        const ops::RoiNeighbours row(rows.sample(h, i), x.dim(2));
        if (row.outside) continue;
        for (int64_t j = js.begin; j < js.end; ++j) {
          const ops::RoiNeighbours column(columns.sample(w, j), x.dim(3));
          if (column.outside) continue;
          const float* const low = map + row.low * x.stride(2);
          const float* const high = map + row.high * x.stride(2);
          taps.add(low + column.low * x.stride(3), (1 - row.weight) * (1 - column.weight) * mean);
          taps.add(low + column.high * x.stride(3), (1 - row.weight) * column.weight * mean);
          taps.add(high + column.low * x.stride(3), row.weight * (1 - column.weight) * mean);
          taps.add(high + column.high * x.stride(3), row.weight * column.weight * mean);
        }
      }
      kernels_.sum({taps.in, taps.weights, taps.count, y.dim(1), out, y.stride(1)});
    }
  }

  ops::RoiAlignAttrs attrs_;
  SamplingKernels kernels_;
  int row_axis_;
};

class RoiAlignTactic final : public Tactic {
 public:
  RoiAlignTactic(std::string_view name, const SamplingKernels& kernels) : name_(name), kernels_(kernels) {}

  std::string_view name() const override { return name_; }
  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "RoiAlign" || !call.op->domain.empty(), "the op is not RoiAlign");
    const CallOperand &x = call.in[0], &rois = call.in[1], &y = call.out[0];
    const std::string& mode = call.attrs.as<ops::RoiAlignAttrs>().mode;
    MEML_REFUSE_IF(mode != "avg", "mode is {}, needs avg", mode);
    MEML_REFUSE_IF(x.type.dtype != DType::f32 || rois.type.dtype != DType::f32 || y.type.dtype != DType::f32,
                   "input is {}, rois {}, output {}: needs f32", x.type.dtype, rois.type.dtype, y.type.dtype);
    MEML_REFUSE_IF(x.order.axes[3] != 1, "input order {} does not end in the channels", x.order.text());
    MEML_REFUSE_IF(!call.epilogues.empty(), "takes no epilogues");
    return Support::yes();
  }
  Workspace workspace(const OpCall& call, int) const override {
    return {.shared = 0,
            .per_thread = RoiAlignKernel::scratch_floats(call.out[0].max_dims[1]) * int64_t{sizeof(float)}};
  }
  double stored_cost(const OpCall& call) const override {
    const std::vector<int64_t>& y = call.out[0].max_dims;
    const int64_t ratio = std::max<int64_t>(call.attrs.as<ops::RoiAlignAttrs>().sampling_ratio, 2);
    return 500 + static_cast<double>(y[0] * y[2] * y[3] * ratio * ratio) *
                     (20 + 2.0 * static_cast<double>(y[1]) / kernels_.lanes);
  }
  bool rows_independent(const OpCall& call) const override { return call.row_axis == 0 || call.row_axis == 2; }
  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    return std::make_unique<RoiAlignKernel>(call, kernels_);
  }

 private:
  std::string name_;
  SamplingKernels kernels_;
};

}  // namespace

std::unique_ptr<Tactic> roi_align_tactic(std::string_view name, const SamplingKernels& kernels) {
  return std::make_unique<RoiAlignTactic>(name, kernels);
}

}  // namespace memline::cpu

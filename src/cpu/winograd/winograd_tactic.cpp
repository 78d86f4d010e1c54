// Winograd convolution: what it accepts, packs and costs, and how a call is shared out.
//   layout   x and y [N, C, H, W] with channels innermost, any other strides, f32 or bf16; weights constant.
//   tiling   runs of tiles whose transforms fit L2 (kScratchBytes), by chunks of 64 output channels
//            (winograd_kernel.h).
//   sum      input channels in order, one accumulator an element of a plane: independent of batch, rows, runs and
//            threads.
//   rows     bands begin at multiples of the tile: a tile reads all its input rows, so a range inside a tile would
//            read more rows of x than the op needs for it (Tactic::row_granularity).
//   limits   3x3, stride 1, dilation 1, group 1. Largest error of a layer about 1e-5 of its range (F(4,3)), 1e-6
//            (F(2,3)).
//   speed    F(4,3) over the 3x3 layers of person-seg 640 (7.7 GFLOP), one thread of a Zen 3 (AVX2, 2 vCPU), against
//            oneDNN 3.2's direct convolution in the same process: 0.39 x its time packed, 0.46 x with weights
//            transformed in the call (median of 15 in turn, 2 vCPU shared with other work, 2026-12-01).
#include "cpu/winograd/winograd_tactic.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/size.h"
#include "cpu/bound_epilogue.h"
#include "ops/conv.h"
#include "ops/reference.h"

namespace memline::cpu {
namespace {

constexpr int64_t kScratchBytes = 384 << 10;

struct WinogradShape {
  ops::ConvAttrs attrs;
  int64_t oc, ic, padded_oc, chunk;
  int64_t tiles_at_bound, run;  // run: tiles done at once
  bool has_bias;

  WinogradShape(const OpCall& call, const WinogradKernels& kernels) : attrs(call.attrs.as<ops::ConvAttrs>()) {
    oc = call.in[1].max_dims[0];
    ic = call.in[1].max_dims[1];
    padded_oc = align_up(oc, kernels.lanes);
    chunk = std::min(padded_oc, kWinogradChunk);
    has_bias = call.base_inputs > 2 && call.in[2].present;
    const std::vector<int64_t>& out = call.out[0].max_dims;
    tiles_at_bound = out[0] * ceil_div(out[2], kernels.tile) * ceil_div(out[3], kernels.tile);
    const int64_t tile_bytes =
        kernels.planes * static_cast<int64_t>(sizeof(float)) * (align_up(ic, kernels.lanes) + chunk);
    const int64_t units =
        std::clamp<int64_t>(kScratchBytes / tile_bytes / kernels.tile_unit, 1, 48 / kernels.tile_unit);
    run = std::clamp<int64_t>(tiles_at_bound, 1, units * kernels.tile_unit);
  }
};

// Transformed and raw weights of `channels` output channels, in floats.
int64_t transformed_floats(const WinogradShape& shape, const WinogradKernels& kernels, int64_t channels) {
  return kernels.planes * shape.ic * channels;
}
int64_t raw_floats(const WinogradShape& shape) { return 9 * shape.ic * shape.padded_oc; }

class WinogradKernel final : public Kernel {
 public:
  WinogradKernel(const OpCall& call, const WinogradKernels& kernels, WinogradWeightsAt weights,
                 std::span<const std::byte> packed)
      : kernels_(kernels),
        weights_(weights),
        shape_(call, kernels),
        row_axis_(call.row_axis),
        packed_(reinterpret_cast<const float*>(packed.data())),
        scratch_(winograd_scratch_floats(kernels, shape_.run, shape_.ic, shape_.padded_oc)) {
    if (shape_.has_bias) epilogues_.push_back({.kind = ops::EpilogueKind::bias, .input = 2});
    epilogues_.insert(epilogues_.end(), call.epilogues.begin(), call.epilogues.end());
  }

  RunStatus run(const KernelArgs& args) noexcept override {
    BoundEpilogue epilogue;
    bind_epilogue(epilogues_, args.in, args.out[0], 1, epilogue);
    int64_t strides[kMaxEpilogueSteps * 3];
    for (int s = 0; s < epilogue.count; ++s) {
      const auto& by_axis = epilogue.strides[static_cast<size_t>(s)];
      strides[3 * s] = by_axis[0], strides[3 * s + 1] = by_axis[2], strides[3 * s + 2] = by_axis[3];
    }
    int64_t tiles = 0;
    WinogradTiles t = describe(args, tiles);
    t.steps = epilogue.steps.data();
    t.step_count = epilogue.count;
    t.step_strides = strides;
    auto* const workspace = reinterpret_cast<float*>(args.workspace.data());
    if (weights_ == WinogradWeightsAt::build) {
      run_chunks(t, tiles, 0, shape_.oc, packed_, workspace, args);
      return {};
    }
    float* const u = workspace;
    for (int64_t c = 0; c < shape_.oc; c += kWinogradChunk) {
      const int64_t channels = std::min(kWinogradChunk, shape_.oc - c);
      transform_weights(c, align_up(channels, kernels_.lanes), u, *args.parallel);
      run_chunks(t, tiles, c, channels, u, u + transformed_floats(shape_, kernels_, shape_.chunk), args);
    }
    return {};
  }

 private:
  WinogradTiles describe(const KernelArgs& args, int64_t& tiles) const {
    const TensorView &in = args.in[0], &out = args.out[0];
    const auto windows = ops::windows3(shape_.attrs, ops::Spatial(in), {1, 3, 3}, 4);
    WinogradTiles t{.in = in.data,
                    .in_n = in.stride(0),
                    .in_h = in.stride(2),
                    .in_w = in.stride(3),
                    .out = out.data,
                    .out_n = out.stride(0),
                    .out_h = out.stride(2),
                    .out_w = out.stride(3),
                    .h = in.dim(2),
                    .w = in.dim(3),
                    .ow = out.dim(3),
                    .ic = shape_.ic,
                    .pad_top = windows[1].pad_begin,
                    .pad_left = windows[2].pad_begin};
    int64_t pictures = out.dim(0);
    t.row_end = out.dim(2);
    if (row_axis_ == 0) {
      t.first_picture = args.rows.begin;
      pictures = args.rows.end - args.rows.begin;
    } else if (row_axis_ == 2) {
      t.row_begin = args.rows.begin;
      t.row_end = args.rows.end;
    }
    t.first_tile_row = t.row_begin / kernels_.tile;
    t.tile_rows = ceil_div(t.row_end, kernels_.tile) - t.first_tile_row;
    t.tile_columns = ceil_div(t.ow, kernels_.tile);
    tiles = pictures * t.tile_rows * t.tile_columns;
    return t;
  }

  void transform_weights(int64_t first_channel, int64_t channels, float* u, Parallel& parallel) const {
    const WinogradWeights weights{.raw = packed_,
                                  .ic = shape_.ic,
                                  .padded_oc = shape_.padded_oc,
                                  .first_channel = first_channel,
                                  .channels = channels,
                                  .u = u};
    const int64_t tasks = std::min<int64_t>(shape_.ic, 4 * parallel.width());
    parallel.for_each(tasks, [&](int64_t task, int) {
      kernels_.weights(weights, shape_.ic * task / tasks, shape_.ic * (task + 1) / tasks);
    });
  }

  // Runs of tiles; where there are too few of them, by groups of chunks too, so that each participant reads a part of u
  // only.
  void run_chunks(WinogradTiles t, int64_t tiles, int64_t first_channel, int64_t channels, const float* u,
                  float* scratch, const KernelArgs& args) const {
    if (tiles == 0) return;
    const int64_t width = args.parallel->width(), chunks = ceil_div(channels, kWinogradChunk);
    int64_t runs = ceil_div(tiles, shape_.run);
    const int64_t groups = runs < width ? std::min(width, chunks) : 1;
    if (groups == 1) runs = std::min(align_up_to(runs, width), tiles);
    args.parallel->for_each(runs * groups, [&](int64_t task, int participant) {
      const int64_t run = task % runs, group = task / runs;
      WinogradTiles part = t;
      const int64_t begin = chunks * group / groups * kWinogradChunk;
      const int64_t end = std::min(chunks * (group + 1) / groups * kWinogradChunk, channels);
      part.first_channel = first_channel + begin;
      part.channels = end - begin;
      part.u = u + transformed_floats(shape_, kernels_, begin);
      const auto compute = args.out[0].dtype == DType::bf16 ? kernels_.tiles_bf16 : kernels_.tiles_f32;
      compute(part, tiles * run / runs, tiles * (run + 1) / runs, scratch + participant * scratch_);
    });
  }

  static int64_t align_up_to(int64_t value, int64_t multiple) { return ceil_div(value, multiple) * multiple; }

  WinogradKernels kernels_;
  WinogradWeightsAt weights_;
  WinogradShape shape_;
  int row_axis_;
  const float* packed_;  // transformed, or raw [3][3][ic][padded_oc]
  int64_t scratch_;      // floats a participant
  std::vector<ops::Epilogue> epilogues_;
};

bool all_ones(const std::vector<int64_t>& values) {
  return std::all_of(values.begin(), values.end(), [](int64_t v) { return v == 1; });
}

class WinogradTactic final : public Tactic {
 public:
  WinogradTactic(std::string_view name, const WinogradKernels& kernels, WinogradWeightsAt weights)
      : name_(name), kernels_(kernels), weights_(weights) {}

  std::string_view name() const override { return name_; }

  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "Conv" || !call.op->domain.empty(), "the op is not Conv");
    const CallOperand &x = call.in[0], &w = call.in[1], &y = call.out[0];
    MEML_REFUSE_IF(x.type.rank() != 4, "rank is {}, needs 4", x.type.rank());
    MEML_REFUSE_IF(x.type.dtype != DType::f32 && x.type.dtype != DType::bf16, "input is {}, needs f32 or bf16",
                   x.type.dtype);
    MEML_REFUSE_IF(y.type.dtype != x.type.dtype, "output is {}, input {}", y.type.dtype, x.type.dtype);
    MEML_REFUSE_IF(!w.is_constant, "weights are computed at run time");
    MEML_REFUSE_IF(w.max_dims[2] != 3 || w.max_dims[3] != 3, "kernel is {}x{}, needs 3x3", w.max_dims[2],
                   w.max_dims[3]);
    const auto& attrs = call.attrs.as<ops::ConvAttrs>();
    MEML_REFUSE_IF(attrs.group != 1, "group is {}, needs 1", attrs.group);
    MEML_REFUSE_IF(!all_ones(attrs.strides), "strides are not 1");
    MEML_REFUSE_IF(!all_ones(attrs.dilations), "dilations are not 1");
    MEML_REFUSE_IF(x.order.axes[3] != 1, "input order {} does not end in the channels", x.order.text());
    MEML_REFUSE_IF(y.order.axes[3] != 1, "output order {} does not end in the channels", y.order.text());
    const bool has_bias = call.base_inputs > 2 && call.in[2].present;
    MEML_REFUSE_IF(has_bias && call.in[2].type.dtype != DType::f32, "bias is {}, needs f32", call.in[2].type.dtype);
    MEML_REFUSE_IF(has_bias && call.epilogues.size() + 1 > kMaxEpilogueSteps, "too many epilogues");
    return epilogue_supported(call);
  }

  Workspace workspace(const OpCall& call, int) const override {
    const WinogradShape shape(call, kernels_);
    Workspace workspace;
    if (weights_ == WinogradWeightsAt::call) workspace.shared = bytes(transformed_floats(shape, kernels_, shape.chunk));
    workspace.per_thread = bytes(winograd_scratch_floats(kernels_, shape.run, shape.ic, shape.padded_oc));
    return workspace;
  }

  // The products at the rate of indirect_conv's estimate; 80 ns to transform a register of a tile's input, 130 ns of
  // its output, 130 ns a register of weights (Zen 3, F(4,3); per pixel of a tile the same for F(2,3)).
  double stored_cost(const OpCall& call) const override {
    const WinogradShape shape(call, kernels_);
    const double tiles = static_cast<double>(shape.tiles_at_bound), planes = kernels_.planes;
    const double in_registers = static_cast<double>(ceil_div(shape.ic, kernels_.lanes));
    const double out_registers = static_cast<double>(shape.padded_oc / kernels_.lanes);
    const double passes =
        weights_ == WinogradWeightsAt::call ? static_cast<double>(ceil_div(shape.oc, kWinogradChunk)) : 1;
    double cost = 1000 + tiles * planes * static_cast<double>(shape.ic) * out_registers / 5.3;
    cost += tiles * planes / 36 * (80 * in_registers * passes + 130 * out_registers);
    if (weights_ == WinogradWeightsAt::call) cost += planes / 36 * 130 * static_cast<double>(shape.ic) * out_registers;
    return cost;
  }

  uint64_t may_overwrite(const OpCall& call) const override { return epilogue_may_overwrite(call); }
  bool rows_independent(const OpCall& call) const override { return call.row_axis == 0 || call.row_axis == 2; }
  int64_t row_granularity(const OpCall& call) const override { return call.row_axis == 2 ? kernels_.tile : 1; }

  uint64_t packs(const OpCall&) const override { return uint64_t{1} << 1; }
  int64_t packed_bytes(const OpCall& call) const override {
    const WinogradShape shape(call, kernels_);
    return bytes(weights_ == WinogradWeightsAt::call ? raw_floats(shape)
                                                     : transformed_floats(shape, kernels_, shape.padded_oc));
  }

  Status pack(const OpCall& call, std::span<std::byte> out) const override {
    const WinogradShape shape(call, kernels_);
    auto* const packed = reinterpret_cast<float*>(out.data());
    if (weights_ == WinogradWeightsAt::call) {
      lay_out(call.in[1].value, shape, packed);
      return {};
    }
    std::vector<float> raw(static_cast<size_t>(raw_floats(shape)));
    lay_out(call.in[1].value, shape, raw.data());
    kernels_.weights({.raw = raw.data(),
                      .ic = shape.ic,
                      .padded_oc = shape.padded_oc,
                      .first_channel = 0,
                      .channels = shape.padded_oc,
                      .u = packed},
                     0, shape.ic);
    return {};
  }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte> packed) const override {
    return std::make_unique<WinogradKernel>(call, kernels_, weights_, packed);
  }

 private:
  static int64_t bytes(int64_t floats) { return align_up(floats * static_cast<int64_t>(sizeof(float)), 64); }

  // [oc][ic][3][3] with any strides -> [3][3][ic][padded_oc], zeros beyond oc.
  static void lay_out(const TensorView& w, const WinogradShape& shape, float* raw) {
    for (int64_t tap = 0; tap < 9; ++tap)
      for (int64_t ic = 0; ic < shape.ic; ++ic)
        for (int64_t oc = 0; oc < shape.padded_oc; ++oc) {
          const int64_t at = oc * w.stride(0) + ic * w.stride(1) + tap / 3 * w.stride(2) + tap % 3 * w.stride(3);
          *raw++ = oc < shape.oc ? ops::load<float>(w, at) : 0.0f;
        }
  }

  std::string name_;
  WinogradKernels kernels_;
  WinogradWeightsAt weights_;
};

}  // namespace

std::unique_ptr<Tactic> winograd_tactic(std::string_view name, const WinogradKernels& kernels,
                                        WinogradWeightsAt weights) {
  return std::make_unique<WinogradTactic>(name, kernels, weights);
}

}  // namespace memline::cpu

// LayerNormalization over the last axis.
//   layout   the last axis innermost in memory, f32 or bf16; scale and bias f32, one value an element of the axis
//   tiling   a task is a run of rows
//   sum      along the axis; see layer_norm.inl.h for the order. 1e-6 of the reference.
//   limits   the last axis alone; y only, not the statistics; no epilogues
#include "cpu/layer_norm/layer_norm_tactic.h"

#include <algorithm>
#include <string>

#include "base/size.h"
#include "cpu/elementwise/broadcast_rows.h"
#include "ops/layer_normalization.h"

namespace memline::cpu {
namespace {

// f32 of rank 1 (or with leading ones), as long as the axis.
Support supports_parameter(const CallOperand& parameter, const CallOperand& x) {
  MEML_REFUSE_IF(parameter.type.dtype != DType::f32, "a parameter is {}, needs f32", parameter.type.dtype);
  const auto& dims = parameter.type.dims;
  MEML_REFUSE_IF(dims.empty() || dims.back() != x.type.dims.back(), "a parameter is not as long as the axis");
  for (size_t i = 0; i + 1 < dims.size(); ++i) MEML_REFUSE_IF(dims[i].constant() != 1, "a parameter is not of one row");
  return Support::yes();
}

class LayerNormKernel final : public Kernel {
 public:
  LayerNormKernel(const OpCall& call, const LayerNormKernels& kernels)
      : kernels_(kernels),
        epsilon_(call.attrs.as<ops::LayerNormalizationAttrs>().epsilon),
        axis_(call.in[0].type.rank() - 1),
        row_axis_(call.row_axis == axis_ ? -1 : call.row_axis) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    TensorView in = args.in[0], out = args.out[0];
    const auto axis = static_cast<size_t>(axis_);
    const int64_t length = in.dims[axis], size = size_of(in.dtype);
    in.dims[axis] = out.dims[axis] = 1;  // what is left says where rows begin
    BroadcastRows rows(out, row_axis_, args.rows);
    rows.add_broadcast(in);
    rows.finish();
    const int64_t units = rows.rows() * rows.columns();
    const int64_t tasks = std::min<int64_t>(units, 4 * args.parallel->width());
    const float* const bias = args.in.size() > 2 && args.in[2].data != nullptr ? args.in[2].as<float>() : nullptr;
    args.parallel->for_each(tasks, [&](int64_t task, int) {
      for (int64_t unit = units * task / tasks; unit < units * (task + 1) / tasks; ++unit) {
        const int64_t column = unit % rows.columns();
        int64_t from, to;
        rows.offsets(0, unit / rows.columns(), 1, &to);
        rows.offsets(1, unit / rows.columns(), 1, &from);
        const LayerNormRow row{in.as<const std::byte>() + (from + column * rows.column_stride(1)) * size,
                               out.as<std::byte>() + (to + column * rows.column_stride(0)) * size,
                               args.in[1].as<float>(),
                               bias,
                               length,
                               epsilon_};
        in.dtype == DType::bf16 ? kernels_.row_bf16(row) : kernels_.row_f32(row);
      }
    });
    return {};
  }

 private:
  LayerNormKernels kernels_;
  float epsilon_;
  int axis_, row_axis_;
};

class LayerNormTactic final : public Tactic {
 public:
  LayerNormTactic(std::string_view name, const LayerNormKernels& kernels) : name_(name), kernels_(kernels) {}

  std::string_view name() const override { return name_; }

  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "LayerNormalization" || !call.op->domain.empty(),
                   "the op is not LayerNormalization");
    const CallOperand& x = call.in[0];
    const int rank = x.type.rank();
    MEML_REFUSE_IF(x.type.dtype != DType::f32 && x.type.dtype != DType::bf16, "input is {}, needs f32 or bf16",
                   x.type.dtype);
    MEML_REFUSE_IF(call.out.size() != 1, "the statistics are asked for");
    MEML_REFUSE_IF(call.out[0].type.dtype != x.type.dtype, "output is {}, input {}", call.out[0].type.dtype,
                   x.type.dtype);
    const int64_t axis = call.attrs.as<ops::LayerNormalizationAttrs>().axis;
    MEML_REFUSE_IF(axis != -1 && axis != rank - 1, "runs over axes from {}, needs the last alone", axis);
    MEML_REFUSE_IF(rank == 0 || x.order.axes[static_cast<size_t>(rank - 1)] != rank - 1 || x.order != call.out[0].order,
                   "the last axis is not innermost in memory on both sides");
    for (size_t i = 1; i < call.in.size(); ++i)
      if (call.in[i].present)
        if (Support support = supports_parameter(call.in[i], x); !support) return support;
    MEML_REFUSE_IF(!call.epilogues.empty(), "takes no epilogues");
    return Support::yes();
  }
  Workspace workspace(const OpCall&, int) const override { return {}; }

  double stored_cost(const OpCall& call) const override {
    double elements = 1;
    for (const int64_t d : call.out[0].max_dims) elements *= static_cast<double>(d);
    return 300 + elements * 5 / kernels_.lanes;
  }
  uint64_t may_overwrite(const OpCall& call) const override { return call.in[0].order == call.out[0].order ? 1 : 0; }
  bool rows_independent(const OpCall& call) const override { return call.row_axis != call.in[0].type.rank() - 1; }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    return std::make_unique<LayerNormKernel>(call, kernels_);
  }

 private:
  std::string name_;
  LayerNormKernels kernels_;
};

}  // namespace

std::unique_ptr<Tactic> layer_norm_tactic(std::string_view name, const LayerNormKernels& kernels) {
  return std::make_unique<LayerNormTactic>(name, kernels);
}

}  // namespace memline::cpu

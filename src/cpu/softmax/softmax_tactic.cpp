// Softmax.
//   layout   any order and strides, f32 or bf16. Axis innermost: along registers; another axis innermost and
//            contiguous on both sides: across registers (attention over a middle axis, a detector's box
//            distribution); otherwise gathered.
//   tiling   a unit of work is rows of some 512 elements, or up to 512 columns; a task is a run of units.
//   sum      along the axis; see softmax.inl.h for the order. 1e-6 of the reference.
//   limits   one axis (before opset 13: all axes behind it of extent 1); no epilogues.
//   speed    1.4 ns an element along rows of 197, 3.4 ns across columns ([1, 16, 4, 8400], axis 1) (Zen 3, AVX2, one
//            thread, 2 vCPU shared with other work, 2026-12-01).
#include "cpu/softmax/softmax_tactic.h"

#include <algorithm>
#include <string>

#include "base/size.h"
#include "cpu/elementwise/broadcast_rows.h"
#include "ops/softmax.h"

namespace memline::cpu {
namespace {

constexpr int64_t kColumns = 512;

// The only axis the softmax runs over whose extent is not 1, or its first; -1 when there are several.
int single_axis(const ops::SoftmaxAttrs& attrs, const CallOperand& x) {
  const int rank = x.type.rank();
  int found = -1, longer = 0;
  for (int axis = 0; axis < rank; ++axis) {
    if (!ops::softmax_runs_over(attrs, axis, rank)) continue;
    const bool is_one = x.type.dims[static_cast<size_t>(axis)].constant() == 1;
    if (found < 0 || !is_one) found = axis;
    longer += is_one ? 0 : 1;
  }
  return longer > 1 ? -1 : found;
}

class SoftmaxKernel final : public Kernel {
 public:
  SoftmaxKernel(const OpCall& call, const SoftmaxKernels& kernels)
      : kernels_(kernels),
        axis_(single_axis(call.attrs.as<ops::SoftmaxAttrs>(), call.in[0])),
        row_axis_(call.row_axis == axis_ ? -1 : call.row_axis) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    TensorView in = args.in[0], out = args.out[0];
    const auto axis = static_cast<size_t>(axis_);
    const int64_t length = in.dims[axis];
    if (length == 0) return {};
    const bool across = other_axis_innermost(in) && other_axis_innermost(out);
    in.dims[axis] = out.dims[axis] = 1;  // what is left says where softmaxes begin
    BroadcastRows rows(out, row_axis_, args.rows);
    rows.add_broadcast(in);
    rows.finish();
    const bool side_by_side = rows.column_stride(0) == 1 && rows.column_stride(1) == 1;
    const int64_t together = !across ? std::max<int64_t>(1, kColumns / length) : side_by_side ? kColumns : 1;
    const int64_t block = std::min(rows.columns(), together);
    const int64_t blocks = ceil_div(rows.columns(), block), units = rows.rows() * blocks;
    const int64_t tasks = std::min<int64_t>(units, 4 * args.parallel->width());
    args.parallel->for_each(tasks, [&](int64_t task, int) {
      for (int64_t unit = units * task / tasks; unit < units * (task + 1) / tasks; ++unit) {
        const int64_t column = unit % blocks * block, size = size_of(in.dtype);
        int64_t from, to;
        rows.offsets(0, unit / blocks, 1, &to);
        rows.offsets(1, unit / blocks, 1, &from);
        const std::byte* const source = in.as<const std::byte>() + (from + column * rows.column_stride(1)) * size;
        std::byte* const target = out.as<std::byte>() + (to + column * rows.column_stride(0)) * size;
        const int64_t count = std::min(block, rows.columns() - column);
        if (across)
          run_columns(in.dtype, {source, target, count, length, in.strides[axis], out.strides[axis]});
        else
          run_rows(in.dtype, {source, target, length, in.strides[axis], out.strides[axis], count, rows.column_stride(1),
                              rows.column_stride(0)});
      }
    });
    return {};
  }

 private:
  // Asked of the whole view: a band must not change the order of a sum.
  bool other_axis_innermost(const TensorView& view) const noexcept {
    for (int i = 0; i < view.rank; ++i)
      if (i != axis_ && view.dim(i) > 1 && view.stride(i) == 1) return true;
    return false;
  }

  void run_rows(DType dtype, const SoftmaxRows& rows) const noexcept {
    dtype == DType::bf16 ? kernels_.rows_bf16(rows) : kernels_.rows_f32(rows);
  }
  void run_columns(DType dtype, const SoftmaxColumns& columns) const noexcept {
    dtype == DType::bf16 ? kernels_.columns_bf16(columns) : kernels_.columns_f32(columns);
  }

  SoftmaxKernels kernels_;
  int axis_, row_axis_;
};

class SoftmaxTactic final : public Tactic {
 public:
  SoftmaxTactic(std::string_view name, const SoftmaxKernels& kernels) : name_(name), kernels_(kernels) {}

  std::string_view name() const override { return name_; }

  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "Softmax" || !call.op->domain.empty(), "the op is not Softmax");
    const DType dtype = call.in[0].type.dtype;
    MEML_REFUSE_IF(dtype != DType::f32 && dtype != DType::bf16, "input is {}, needs f32 or bf16", dtype);
    MEML_REFUSE_IF(call.out[0].type.dtype != dtype, "output is {}, input {}", call.out[0].type.dtype, dtype);
    MEML_REFUSE_IF(call.in[0].type.rank() == 0, "a scalar has no axis");
    MEML_REFUSE_IF(single_axis(call.attrs.as<ops::SoftmaxAttrs>(), call.in[0]) < 0, "runs over several axes at once");
    MEML_REFUSE_IF(!call.epilogues.empty(), "takes no epilogues");
    return Support::yes();
  }
  Workspace workspace(const OpCall&, int) const override { return {}; }

  double stored_cost(const OpCall& call) const override {
    double elements = 1;
    for (const int64_t d : call.out[0].max_dims) elements *= static_cast<double>(d);
    return 300 + elements * 14 / kernels_.lanes;
  }
  uint64_t may_overwrite(const OpCall& call) const override { return call.in[0].order == call.out[0].order ? 1 : 0; }
  bool rows_independent(const OpCall& call) const override {
    return !ops::softmax_runs_over(call.attrs.as<ops::SoftmaxAttrs>(), call.row_axis, call.in[0].type.rank());
  }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    return std::make_unique<SoftmaxKernel>(call, kernels_);
  }

 private:
  std::string name_;
  SoftmaxKernels kernels_;
};

}  // namespace

std::unique_ptr<Tactic> softmax_tactic(std::string_view name, const SoftmaxKernels& kernels) {
  return std::make_unique<SoftmaxTactic>(name, kernels);
}

}  // namespace memline::cpu

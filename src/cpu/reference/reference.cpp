// Runs a call through ops::OpDef::reference and ops::apply_reference: serial, slow, right for any order, strides and
// storage dtype (ops/reference.h converts at each load and store).
//   * A fused node computes its base and every epilogue in f32 and rounds once, when the result is stored: a result
//     that is not f32 has an f32 image in workspace, dense and row-major.
#include "cpu/reference/reference.h"

#include <vector>

#include "base/size.h"
#include "ops/reference.h"

namespace memline::cpu {
namespace {

int64_t bound_elements(const CallOperand& operand) {
  int64_t elements = 1;
  for (const int64_t d : operand.max_dims) elements = saturating_mul(elements, d);
  return elements;
}

bool needs_image(const OpCall& call) { return !call.epilogues.empty() && call.out[0].type.dtype != DType::f32; }

class ReferenceKernel final : public Kernel {
 public:
  explicit ReferenceKernel(const OpCall& call)
      : op_(call.op),
        attrs_(call.attrs),
        epilogues_(call.epilogues),
        base_inputs_(call.base_inputs),
        needs_image_(needs_image(call)) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView stored = args.out[0];
    if (needs_image_) {
      args.out[0].dtype = DType::f32;
      args.out[0].data = args.workspace.data();
      args.out[0].set_dense(AxisOrder::row_major(stored.rank));
    }
    op_->reference(attrs_, args.in.first(base_inputs_), args.out);
    if (!epilogues_.empty()) {
      const int axis = op_->channel_axis < 0 ? stored.rank + op_->channel_axis : op_->channel_axis;
      ops::apply_reference(epilogues_, args.in, axis, args.out[0]);
    }
    if (needs_image_) {
      const TensorView image = args.out[0];
      args.out[0] = stored;
      args.out[0].dims = image.dims;
      ops::copy(image, args.out[0]);
    }
    return {};
  }

 private:
  const ops::OpDef* op_;
  ops::Attrs attrs_;
  std::vector<ops::Epilogue> epilogues_;
  size_t base_inputs_;
  bool needs_image_;
};

class ReferenceTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.reference"; }

  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(!call.op || !call.op->reference, "the op has no reference");
    MEML_REFUSE_IF(!call.epilogues.empty() && !is_float(call.out[0].type.dtype),
                   "epilogues need a float result, not {}", call.out[0].type.dtype);
    return Support::yes();
  }

  Workspace workspace(const OpCall& call, int) const override {
    Workspace workspace;
    if (needs_image(call)) workspace.shared = align_up(bound_elements(call.out[0]) * size_of(DType::f32), 64);
    return workspace;
  }

  // 1 us an element read or written: no tactic is slower, so under --tune none it is taken only where nothing else is.
  double stored_cost(const OpCall& call) const override {
    double elements = 1;
    for (const CallOperand& operand : call.in) elements += static_cast<double>(bound_elements(operand));
    for (const CallOperand& operand : call.out) elements += static_cast<double>(bound_elements(operand));
    return 1000 * elements;
  }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    return std::make_unique<ReferenceKernel>(call);
  }
};

}  // namespace

std::unique_ptr<Tactic> reference_tactic() { return std::make_unique<ReferenceTactic>(); }

}  // namespace memline::cpu

// The tactic of Extents: each expression evaluated, at most 64 of them.
#include "cpu/integers/extents_tactic.h"

#include "ops/extents.h"
#include "ops/reference.h"

namespace memline::cpu {
namespace {

class ExtentsKernel final : public Kernel {
 public:
  explicit ExtentsKernel(std::vector<DimExpr> elements) : elements_(std::move(elements)) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView& out = args.out[0];
    size_t next = 0;
    ops::walk<1>(out.rank, out.dims, {out.strides},
                 [&](const auto& at) { ops::store(out, at[0], elements_[next++].evaluate(args.slots)); });
    return {};
  }

 private:
  std::vector<DimExpr> elements_;
};

class ExtentsTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.extents"; }

  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "Extents", "the op is not Extents");
    return Support::yes();
  }
  Workspace workspace(const OpCall&, int) const override { return {}; }
  double stored_cost(const OpCall&) const override { return 200; }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    const auto& attrs = call.attrs.as<ops::ExtentsAttrs>();
    MEML_TRY(std::vector<DimExpr> elements, ops::parse_elements(attrs));
    int64_t count = 1;
    for (const int64_t dim : call.out[0].max_dims) count *= dim;
    if (count != static_cast<int64_t>(elements.size()))
      return invalid_argument("Extents has {} elements for {} places", elements.size(), count);
    return std::make_unique<ExtentsKernel>(std::move(elements));
  }
};

}  // namespace

std::unique_ptr<Tactic> extents_tactic() { return std::make_unique<ExtentsTactic>(); }

}  // namespace memline::cpu

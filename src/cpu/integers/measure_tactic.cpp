// The tactic of Measure: copies at most 16 integers and sets as many extents.
#include "cpu/integers/measure_tactic.h"

#include "ops/measure.h"
#include "ops/reference.h"

namespace memline::cpu {
namespace {

constexpr char kOutside[] = "a size that the model computes from data is outside its bounds";

class MeasureKernel final : public Kernel {
 public:
  explicit MeasureKernel(ops::MeasureAttrs attrs) : attrs_(std::move(attrs)) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView& in = args.in[0];
    RunStatus status;
    size_t k = 0;
    ops::walk<1>(in.rank, in.dims, {in.strides}, [&](const auto& at) {
      const auto value = ops::load<int64_t>(in, at[0]);
      if (value < attrs_.least[k] || value > attrs_.most[k])
        status = {.code = Code::invalid_argument, .message = kOutside, .found = value};
      else
        args.out[k + 1].dims[0] = value - attrs_.least[k];
      ++k;
    });
    if (status.ok()) ops::copy(in, args.out[0]);
    return status;
  }

 private:
  ops::MeasureAttrs attrs_;
};

class MeasureTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.measure"; }

  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "Measure", "the op is not Measure");
    return Support::yes();
  }
  Workspace workspace(const OpCall&, int) const override { return {}; }
  double stored_cost(const OpCall&) const override { return 200; }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    const auto& attrs = call.attrs.as<ops::MeasureAttrs>();
    int64_t count = 1;
    for (const int64_t dim : call.in[0].max_dims) count *= dim;
    if (attrs.most.size() != attrs.least.size() || count != static_cast<int64_t>(attrs.least.size()) ||
        call.out.size() != attrs.least.size() + 1)
      return invalid_argument("Measure has bounds for {} elements of {}", attrs.least.size(), count);
    return std::make_unique<MeasureKernel>(attrs);
  }
};

}  // namespace

std::unique_ptr<Tactic> measure_tactic() { return std::make_unique<MeasureTactic>(); }

}  // namespace memline::cpu

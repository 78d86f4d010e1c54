// The tactic of Copy. Everything interesting is in strided_copy.cpp.
#include "cpu/copy/copy_tactic.h"

#include "base/size.h"
#include "cpu/copy/strided_copy.h"
#include "cpu/rows.h"

namespace memline::cpu {
namespace {

class CopyKernel final : public Kernel {
 public:
  explicit CopyKernel(int row_axis) : row_axis_(row_axis) {}
  RunStatus run(const KernelArgs& args) noexcept override {
    copy_strided(row_band(args.in[0], row_axis_, args.rows), row_band(args.out[0], row_axis_, args.rows),
                 *args.parallel);
    return {};
  }

 private:
  int row_axis_;
};

class CopyTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.copy"; }

  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "Copy", "the op is not Copy");
    MEML_REFUSE_IF(!call.epilogues.empty(), "takes no epilogues");
    const DType from = call.in[0].type.dtype, to = call.out[0].type.dtype;
    MEML_REFUSE_IF(!can_copy(from, to), "does not turn {} into {}", from, to);
    return Support::yes();
  }
  Workspace workspace(const OpCall&, int) const override { return {}; }

  // 8 GB/s of reading and writing when the order stays, half of it when it changes.
  double stored_cost(const OpCall& call) const override {
    double bytes = static_cast<double>(size_of(call.in[0].type.dtype) + size_of(call.out[0].type.dtype));
    for (const int64_t d : call.out[0].max_dims) bytes *= static_cast<double>(d);
    return 200 + bytes / (call.in[0].order == call.out[0].order ? 8 : 4);
  }
  bool rows_independent(const OpCall&) const override { return true; }

  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    return std::make_unique<CopyKernel>(call.row_axis);
  }
};

}  // namespace

std::unique_ptr<Tactic> copy_tactic() { return std::make_unique<CopyTactic>(); }

}  // namespace memline::cpu

// Floating-point operations of a call, counted as a direct computation would do them: what GFLOP/s in reports are
// relative to.
#include "base/size.h"
#include "choose/menu.h"

namespace memline {
namespace {

int64_t elements(const CallOperand& operand) {
  int64_t n = 1;
  for (const int64_t dim : operand.max_dims) n = saturating_mul(n, dim);
  return n;
}

}  // namespace

int64_t flops_of(const OpCall& call) {
  if (call.op == nullptr || call.in.size() < 2 || call.out.empty()) return 0;
  const std::vector<int64_t>& b = call.in[1].max_dims;
  const std::string_view name = call.op->name;
  if (name == "Conv" && !b.empty() && b[0] > 0)
    return saturating_mul(2 * (elements(call.in[1]) / b[0]), elements(call.out[0]));
  if (name == "ConvTranspose" && !b.empty() && b[0] > 0)
    return saturating_mul(2 * (elements(call.in[1]) / b[0]), elements(call.in[0]));
  if (name == "MatMul" && !call.in[0].max_dims.empty())
    return saturating_mul(2 * call.in[0].max_dims.back(), elements(call.out[0]));
  if (name == "Gemm" && b.size() == 2 && call.out[0].max_dims.size() == 2) {
    const int64_t n = call.out[0].max_dims[1];
    return n > 0 ? saturating_mul(2 * (elements(call.in[1]) / n), elements(call.out[0])) : 0;
  }
  return 0;
}

}  // namespace memline

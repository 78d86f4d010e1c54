#include "cpu/gemm/matrix_product.h"

#include <algorithm>

#include "ops/gemm.h"

namespace memline::cpu {
namespace {

bool is_gemm(const OpCall& call) { return call.op->name == "Gemm"; }

TensorView swapped(TensorView view, bool swap) {
  if (!swap) return view;
  const auto last = static_cast<size_t>(view.rank - 1);
  std::swap(view.dims[last], view.dims[last - 1]);
  std::swap(view.strides[last], view.strides[last - 1]);
  return view;
}

}  // namespace

MatrixProduct::MatrixProduct(const OpCall& call) : epilogues(call.epilogues) {
  if (is_gemm(call)) {
    const auto& gemm = call.attrs.as<ops::GemmAttrs>();
    transpose_a = gemm.transA;
    transpose_b = gemm.transB;
    alpha = gemm.alpha;
    if (call.base_inputs > 2 && call.in[2].present && gemm.beta != 0)
      epilogues.insert(epilogues.begin(), {.kind = ops::EpilogueKind::add, .input = 2});
  }
  const std::vector<int64_t>& b = call.in[1].max_dims;
  depth = b[b.size() - (transpose_b ? 1 : 2)];
  columns = b[b.size() - (transpose_b ? 2 : 1)];
  const AxisOrder& order = call.in[0].order;
  copies_a = order.axes[order.rank - 1u] != order.rank - (transpose_a ? 2 : 1);
}

TensorView MatrixProduct::a(const TensorView& view) const { return swapped(view, transpose_a); }
TensorView MatrixProduct::b(const TensorView& view) const { return swapped(view, transpose_b); }

double MatrixProduct::cost(const OpCall& call, const StripKernels& kernels) const {
  double rows = 1;
  for (size_t i = 0; i + 1 < call.out[0].max_dims.size(); ++i) rows *= static_cast<double>(call.out[0].max_dims[i]);
  const double products = static_cast<double>(depth * packed(kernels).blocks.padded_channels());
  const double bytes_per_ns = 20;
  return 1000 + std::max(rows * products / products_per_ns(kernels), products * (4 / kernels.pair) / bytes_per_ns);
}

Support product_supported(const OpCall& call, const StripKernels& kernels) {
  MEML_REFUSE_IF((call.op->name != "MatMul" && call.op->name != "Gemm") || !call.op->domain.empty(),
                 "the op is neither MatMul nor Gemm");
  const DType dtype = kernels.pair == 1 ? DType::f32 : DType::bf16;
  const CallOperand &a = call.in[0], &b = call.in[1], &y = call.out[0];
  MEML_REFUSE_IF(a.type.dtype != dtype, "a is {}, needs {}", a.type.dtype, dtype);
  MEML_REFUSE_IF(y.type.dtype != dtype && y.type.dtype != DType::f32, "output is {}, needs {} or f32", y.type.dtype,
                 dtype);
  MEML_REFUSE_IF(a.type.rank() < 2 || b.type.rank() < 2, "a vector: needs matrices");
  MEML_REFUSE_IF(y.order.axes[y.order.rank - 1u] != y.order.rank - 1, "output order {} does not end in its last axis",
                 y.order.text());
  const MatrixProduct product(call);
  MEML_REFUSE_IF(product.epilogues.size() > kMaxEpilogueSteps, "{} epilogues, at most {} can be bound",
                 product.epilogues.size(), kMaxEpilogueSteps);
  if (is_gemm(call) && call.base_inputs > 2 && call.in[2].present) {
    const float beta = call.attrs.as<ops::GemmAttrs>().beta;
    MEML_REFUSE_IF(beta != 1 && beta != 0, "beta is {}, needs 1 or 0", beta);
    const DType c = call.in[2].type.dtype;
    MEML_REFUSE_IF(c != DType::f32 && c != DType::bf16, "c is {}, needs f32 or bf16", c);
  }
  return epilogue_supported(call);
}

}  // namespace memline::cpu

// NonZero: the indices of the elements that are not 0, i64[rank, n], in row-major order. n is a count, at most the
// number of elements. A scalar gives [0, n] (ONNX's text; numpy gives [1, n]).
#include "ops/op.h"
#include "ops/reference.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  const DimExpr count = in.count("non-zero elements", product(in.dims(0)));
  return TensorTypes{{.dtype = DType::i64, .dims = {in.rank(0), count}}};
}

bool is_zero(const TensorView& view, int64_t offset) {
  return with_compute(view.dtype, [&](auto tag) { return load<decltype(tag)>(view, offset) == 0; });
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  int64_t flat = 0, count = 0;
  walk<1>(in[0].rank, in[0].dims, {in[0].strides}, [&](const auto& at) {
    int64_t rest = flat++;
    if (is_zero(in[0], at[0])) return;
    if (count >= out[0].dim(1)) return void(++count);  // more than there is room for
    for (int axis = in[0].rank - 1; axis >= 0; --axis) {
      store(out[0], axis * out[0].stride(0) + count * out[0].stride(1), rest % in[0].dim(axis));
      rest /= in[0].dim(axis);
    }
    ++count;
  });
  out[0].dims[1] = count;
}

}  // namespace

OpDef non_zero() { return define_op<NoAttrs>("NonZero", {.since_opset = 9, .infer = infer, .reference = reference}); }

}  // namespace memline::ops

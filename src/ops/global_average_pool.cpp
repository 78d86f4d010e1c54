// GlobalAveragePool: the mean over all spatial axes. in x [N, C, spatial...], out [N, C, 1...].
#include "ops/pool.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) { return infer_global_pool(in); }

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  Extents spatial = x.dims;
  spatial[0] = spatial[1] = 1;
  int64_t count = 1;
  for (int i = 2; i < x.rank; ++i) count *= x.dim(i);
  for (int64_t n = 0; n < y.dim(0); ++n)
    for (int64_t c = 0; c < y.dim(1); ++c) {
      const int64_t first = n * x.stride(0) + c * x.stride(1);
      double sum = 0;
      walk<1>(x.rank, spatial, {x.strides}, [&](const auto& at) { sum += load<double>(x, first + at[0]); });
      store(y, n * y.stride(0) + c * y.stride(1), sum / static_cast<double>(count));
    }
}

std::vector<RowNeed> rows(const NoAttrs&, const InferContext& in, int axis, RowRange range) {
  return global_pool_rows(in, axis, range);
}

}  // namespace

OpDef global_average_pool() {
  return define_op<NoAttrs>("GlobalAveragePool", {.infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

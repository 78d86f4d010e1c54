// GlobalMaxPool: the largest element over all spatial axes; a NaN among them is the result. in x [N, C, spatial...],
// out [N, C, 1...].
#include <limits>

#include "ops/pool.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) { return infer_global_pool(in); }

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  Extents spatial = x.dims;
  spatial[0] = spatial[1] = 1;
  for (int64_t n = 0; n < y.dim(0); ++n)
    for (int64_t c = 0; c < y.dim(1); ++c) {
      const int64_t first = n * x.stride(0) + c * x.stride(1);
      double best = -std::numeric_limits<double>::infinity();
      walk<1>(x.rank, spatial, {x.strides}, [&](const auto& at) {
        const auto value = load<double>(x, first + at[0]);
        if (value > best || is_nan(value)) best = value;
      });
      store(y, n * y.stride(0) + c * y.stride(1), best);
    }
}

std::vector<RowNeed> rows(const NoAttrs&, const InferContext& in, int axis, RowRange range) {
  return global_pool_rows(in, axis, range);
}

}  // namespace

OpDef global_max_pool() {
  return define_op<NoAttrs>("GlobalMaxPool", {.infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

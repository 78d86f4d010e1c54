// LRN: x / (bias + alpha / size * sum of squares)^beta, the sum over `size` neighbouring channels: floor((size-1)/2)
// before and ceil((size-1)/2) after.  in x [N, C, ...]
#include "ops/lrn.h"

#include <algorithm>
#include <cmath>

#include "ops/reference.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const LrnAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  MEML_TRY_STATUS(in.expect_float(0));
  MEML_TRY_STATUS(in.expect_rank(0, 2, kMaxRank));
  if (attrs.size < 1) return invalid_model("size is {}, needs at least 1", attrs.size);
  return TensorTypes{in.type(0)};
}

void reference(const LrnAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  const int64_t before = (attrs.size - 1) / 2, after = attrs.size - 1 - before;
  const Extents plane = extents_where(x, [](int axis) { return axis != 1; });
  for (int64_t c = 0; c < x.dim(1); ++c)
    walk<2>(x.rank, plane, {x.strides, y.strides}, [&](const auto& at) {
      double squares = 0;
      for (int64_t i = std::max<int64_t>(c - before, 0); i <= std::min(c + after, x.dim(1) - 1); ++i) {
        const auto value = load<double>(x, at[0] + i * x.stride(1));
        squares += value * value;
      }
      const double base = static_cast<double>(attrs.bias) +
                          static_cast<double>(attrs.alpha) / static_cast<double>(attrs.size) * squares;
      store(y, at[1] + c * y.stride(1),
            load<double>(x, at[0] + c * x.stride(1)) / std::pow(base, static_cast<double>(attrs.beta)));
    });
}

std::vector<RowNeed> rows(const LrnAttrs& attrs, const InferContext&, int axis, RowRange range) {
  if (axis != 1) return {{.all = false, .axis = axis, .rows = range}};
  const int64_t before = (attrs.size - 1) / 2;
  return {{.all = false, .axis = 1, .rows = {range.begin - before, range.end + attrs.size - 1 - before}}};
}

}  // namespace

OpDef lrn() { return define_op<LrnAttrs>("LRN", {.infer = infer, .reference = reference, .rows = rows}); }

}  // namespace memline::ops

// MaxPool: the largest element of each window; padding is no element. A NaN in a window is its result.
//   in   x [N, C, 1 to 3 spatial axes]
//   out  [N, C, windows...], and optionally i64 indices of the chosen elements in the dense x (the first among equals)
// A window without any element gives the lowest value of the type, index 0.
#include <limits>

#include "ops/pool.h"

namespace memline::ops {
namespace {

Result<MaxPoolAttrs> import(AttrReader& reader, int) {
  MaxPoolAttrs attrs;
  MEML_TRY(static_cast<WindowAttrs&>(attrs), import_windows(reader));
  MEML_TRY(attrs.storage_order, reader.int_or("storage_order", 0));
  return attrs;
}

Result<TensorTypes> infer(const MaxPoolAttrs& attrs, const InferContext& in) {
  MEML_TRY(TensorType type, infer_pool(attrs, in));
  if (!is_float(type.dtype) && type.dtype != DType::i8 && type.dtype != DType::u8)
    return invalid_model("input 0 is {}, needs a floating-point type, i8 or u8", type.dtype);
  TensorTypes types{type};
  if (in.outputs() > 1) types.push_back({DType::i64, type.dims});
  return types;
}

template <typename C>
constexpr C lowest() {
  return std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::lowest();
}

// What one step along each spatial axis adds to an index into the dense input.
std::array<int64_t, 3> index_strides(const MaxPoolAttrs& attrs, const Spatial& xs) {
  if (attrs.storage_order == 0) return {xs.dims[1] * xs.dims[2], xs.dims[2], 1};
  return {1, xs.dims[0], xs.dims[0] * xs.dims[1]};
}

void reference(const MaxPoolAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  const bool wants_indices = out.size() > 1 && out[1].data != nullptr;
  const Spatial xs(x), ys(y), is(wants_indices ? out[1] : y);
  const auto windows = windows3(attrs, xs, kernel3(attrs), x.rank);
  const auto steps = index_strides(attrs, xs);
  with_compute(x.dtype, [&](auto tag) {
    using C = decltype(tag);
    for_each_window(y, ys, [&](int64_t n, int64_t c, const std::array<int64_t, 3>& o) {
      C best = x.dtype == DType::i8 ? static_cast<C>(-128) : x.dtype == DType::u8 ? C{0} : lowest<C>();
      int64_t best_index = -1;
      for_each_tap(windows, o, [&](const std::array<int64_t, 3>& i) {
        if (!inside(xs, i)) return;
        const C value = load<C>(x, n * x.stride(0) + c * x.stride(1) + spatial_offset(xs, i));
        if (best_index >= 0 && !(value > best) && !(is_nan(value) && !is_nan(best))) return;
        best = value;
        best_index = i[0] * steps[0] + i[1] * steps[1] + i[2] * steps[2];
      });
      store(y, n * y.stride(0) + c * y.stride(1) + spatial_offset(ys, o), best);
      if (!wants_indices) return;
      const int64_t plane = (n * x.dim(1) + c) * xs.dims[0] * xs.dims[1] * xs.dims[2];
      store(out[1], n * out[1].stride(0) + c * out[1].stride(1) + spatial_offset(is, o),
            best_index < 0 ? 0 : plane + best_index);
    });
  });
}

std::vector<RowNeed> rows(const MaxPoolAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  return pool_rows(attrs, in, axis, range);
}

}  // namespace

OpDef max_pool() {
  return define_op<MaxPoolAttrs>("MaxPool", {.import = import, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

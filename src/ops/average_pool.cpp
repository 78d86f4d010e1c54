// AveragePool: the mean of each window. Its divisor is the number of elements that count: those inside the input, and
// with count_include_pad those of the declared pads too (as zeros), but never what ceil_mode hangs over the end.
//   in   x [N, C, 1 to 3 spatial axes]
//   out  [N, C, windows...]; a window without any element gives 0
#include <algorithm>

#include "ops/pool.h"

namespace memline::ops {
namespace {

Result<AveragePoolAttrs> import(AttrReader& reader, int) {
  AveragePoolAttrs attrs;
  MEML_TRY(static_cast<WindowAttrs&>(attrs), import_windows(reader));
  MEML_TRY(const int64_t count, reader.int_or("count_include_pad", 0));
  attrs.count_include_pad = count != 0;
  return attrs;
}

Result<TensorTypes> infer(const AveragePoolAttrs& attrs, const InferContext& in) {
  MEML_TRY(TensorType type, infer_pool(attrs, in));
  MEML_TRY_STATUS(in.expect_float(0));
  return TensorTypes{std::move(type)};
}

bool in_padded(const std::array<Window, 3>& windows, const Spatial& xs, const std::array<int64_t, 3>& i) {
  for (size_t a = 0; a < 3; ++a)
    if (i[a] < -windows[a].pad_begin || i[a] >= xs.dims[a] + windows[a].pad_end) return false;
  return true;
}

void reference(const AveragePoolAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  const Spatial xs(x), ys(y);
  const auto windows = windows3(attrs, xs, kernel3(attrs), x.rank);
  for_each_window(y, ys, [&](int64_t n, int64_t c, const std::array<int64_t, 3>& o) {
    double sum = 0;
    int64_t count = 0;
    for_each_tap(windows, o, [&](const std::array<int64_t, 3>& i) {
      const bool element = inside(xs, i);
      if (element) sum += load<double>(x, n * x.stride(0) + c * x.stride(1) + spatial_offset(xs, i));
      if (element || (attrs.count_include_pad && in_padded(windows, xs, i))) ++count;
    });
    store(y, n * y.stride(0) + c * y.stride(1) + spatial_offset(ys, o),
          sum / static_cast<double>(std::max<int64_t>(count, 1)));
  });
}

std::vector<RowNeed> rows(const AveragePoolAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  return pool_rows(attrs, in, axis, range);
}

}  // namespace

OpDef average_pool() {
  return define_op<AveragePoolAttrs>("AveragePool",
                                     {.import = import, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

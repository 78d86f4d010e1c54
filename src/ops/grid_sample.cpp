// GridSample: the input read at the positions a grid names, in [-1, 1] from one side to the other.
//   in   x [N, C, D1 ... Dr], grid [N, E1 ... Er, r], positions innermost axis first
//   out  [N, C, E1 ... Er]
// nearest rounds half to even; cubic is Keys' kernel with a = -0.75, and with padding_mode border its taps are clamped
// one by one (as PyTorch does; the text does not say). Coordinates are computed in the grid's type (at least f32).
#include "ops/grid_sample.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ops/reference.h"

namespace memline::ops {
namespace {

Result<GridSampleAttrs> import(AttrReader& reader, int opset) {
  MEML_TRY(GridSampleAttrs attrs, detail::import_fields<GridSampleAttrs>(reader, opset));
  if (attrs.mode == "bilinear") attrs.mode = "linear";  // the names before opset 20
  if (attrs.mode == "bicubic") attrs.mode = "cubic";
  return attrs;
}

Result<TensorTypes> infer(const GridSampleAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY_STATUS(in.expect_rank(0, 3, kMaxRank));
  MEML_TRY_STATUS(in.expect_rank(1, in.rank(0), in.rank(0)));
  MEML_TRY_STATUS(in.expect_float(1));
  if (attrs.mode != "linear" && attrs.mode != "nearest" && attrs.mode != "cubic")
    return unsupported("mode '{}' is not known", attrs.mode);
  if (attrs.padding_mode != "zeros" && attrs.padding_mode != "border" && attrs.padding_mode != "reflection")
    return unsupported("padding_mode '{}' is not known", attrs.padding_mode);
  const auto &x = in.dims(0), &grid = in.dims(1);
  MEML_TRY_STATUS(in.expect_equal(grid[0], x[0], "x and grid have as many pictures"));
  MEML_TRY_STATUS(in.expect_equal(grid.back(), in.rank(0) - 2, "a position has a number for each spatial axis"));
  TensorType type{in.dtype(0), {x[0], x[1]}};
  type.dims.insert(type.dims.end(), grid.begin() + 1, grid.end() - 1);
  return TensorTypes{std::move(type)};
}

double cubic_weight(double distance) {
  constexpr double a = -0.75;
  const double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// The sum over the taps of axis `axis` and those after it, at offset `at`.
double sample(const GridSampleAttrs& attrs, const TensorView& x, int axis, const std::array<double, kMaxRank>& position,
              int64_t at) {
  if (axis == x.rank) return load<double>(x, at);
  const GridSampleAxis own{attrs, x.dim(axis)};
  const double coordinate = position[static_cast<size_t>(axis)], floor = std::floor(coordinate);
  const bool nearest = attrs.mode == "nearest", cubic = attrs.mode == "cubic";
  const int first = cubic ? -1 : 0, last = nearest ? 0 : cubic ? 2 : 1;
  double sum = 0;
  for (int tap = first; tap <= last; ++tap) {
    const double tap_at = (nearest ? coordinate : floor) + tap, distance = coordinate - tap_at;
    const double weight = nearest ? 1 : cubic ? cubic_weight(distance) : 1 - std::abs(distance);
    const int64_t index = own.index(tap_at);
    if (index >= 0) sum += weight * sample(attrs, x, axis + 1, position, at + index * x.stride(axis));
  }
  return sum;
}

void put(const TensorView& y, int64_t at, double value) {
  if (is_float(y.dtype))
    store(y, at, value);
  else
    store(y, at, static_cast<int64_t>(value));  // the text: cast at the end
}

void reference(const GridSampleAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &grid = in[1], &y = out[0];
  const int spatial = x.rank - 2;
  Extents grid_strides{};  // by the output's axes; all channels read the same positions
  grid_strides[0] = grid.stride(0);
  for (int i = 0; i < spatial; ++i) grid_strides[static_cast<size_t>(i + 2)] = grid.stride(i + 1);
  Extents planes{};
  planes[0] = x.stride(0), planes[1] = x.stride(1);
  with_compute(grid.dtype, [&](auto tag) {
    using C = std::conditional_t<std::is_floating_point_v<decltype(tag)>, decltype(tag), float>;
    walk<3>(y.rank, y.dims, {y.strides, grid_strides, planes}, [&](const auto& at) {
      std::array<double, kMaxRank> position{};
      for (int i = 0; i < spatial; ++i) {
        const GridSampleAxis axis{attrs, x.dim(i + 2)};
        position[static_cast<size_t>(i + 2)] =
            axis.coordinate(load<C>(grid, at[1] + (spatial - 1 - i) * grid.stride(grid.rank - 1)));
      }
      put(y, at[0], sample(attrs, x, 2, position, at[2]));
    });
  });
}

std::vector<RowNeed> rows(const GridSampleAttrs&, const InferContext&, int axis, RowRange range) {
  std::vector<RowNeed> needs(2);
  if (axis < 2) needs[0] = {.all = false, .axis = axis, .rows = range};
  if (axis != 1) needs[1] = {.all = false, .axis = axis == 0 ? 0 : axis - 1, .rows = range};
  return needs;
}

}  // namespace

OpDef grid_sample() {
  return define_op<GridSampleAttrs>(
      "GridSample", {.since_opset = 16, .import = import, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

// TopK: the k largest (or smallest) elements along an axis, best first, equal ones by index. NaN counts as the largest
// value.
//   in   x, k i64 (one element; an attribute before opset 10)
//   out  values, indices i64: x's dims with k on the axis. A k that shape arithmetic does not know is a count, at most
//   the extent
#include "ops/top_k.h"

#include <algorithm>

#include "ops/reference.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<TopKAttrs> import(AttrReader& reader, int opset) {
  MEML_TRY(TopKAttrs attrs, detail::import_fields<TopKAttrs>(reader, opset));
  if (opset >= 10) return attrs;
  MEML_TRY(const std::optional<int64_t> k, reader.find_int("k"));
  if (!k) return invalid_model("attribute 'k' is required");
  reader.set_int64_input(1, {*k});
  return attrs;
}

Result<DimExpr> k_of(const InferContext& in, const DimExpr& extent) {
  if (in.dtype(1) != DType::i64) return invalid_model("k is {}, needs i64", in.dtype(1));
  if (product(in.dims(1)) != DimExpr(1)) return invalid_model("k is {}, needs one element", in.type(1).text());
  if (in.values(1) == nullptr) return in.count("k", extent);
  const DimExpr k = in.values(1)->front();
  if (k.is_constant() && *k.constant() < 0) return invalid_model("k is {}, needs at least 0", k.text());
  if (min(k, extent) != k)
    MEML_TRY_STATUS(
        in.demand(less(k, extent + 1), fmt::format("k is {} but the axis has {} elements", k.text(), extent.text())));
  return k;
}

Result<TensorTypes> infer(const TopKAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY_STATUS(in.expect_rank(0, 1, kMaxRank));
  if (in.dtype(0) == DType::boolean) return invalid_model("input 0 is bool, needs a number type");
  MEML_TRY(const int axis, resolve_axis(attrs.axis, in.rank(0), "axis"));
  TensorType values = in.type(0);
  DimExpr& extent = values.dims[static_cast<size_t>(axis)];
  MEML_TRY(extent, k_of(in, extent));
  TensorType indices{DType::i64, values.dims};
  TensorTypes types{std::move(values)};
  if (in.outputs() > 1) types.push_back(std::move(indices));
  return types;
}

template <typename C>
bool better(const TopKAttrs& attrs, C a, C b) {
  const bool a_nan = is_nan(a), b_nan = is_nan(b);
  if (a_nan || b_nan) return attrs.largest ? a_nan && !b_nan : b_nan && !a_nan;
  return attrs.largest ? a > b : a < b;
}

// One line along the axis. The outputs hold the best so far, in order; each element is inserted behind what is at least
// as good.
struct Line {
  const TopKAttrs& attrs;
  const TensorView &x, &values, &indices;
  int64_t x_first, values_first, indices_first, x_step, values_step, indices_step, extent, k;

  template <typename C>
  void run() const {
    int64_t count = 0;
    for (int64_t i = 0; i < extent; ++i) {
      const C value = load<C>(x, x_first + i * x_step);
      int64_t low = 0, high = count;
      while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (better(attrs, value, load<C>(values, values_first + middle * values_step)))
          high = middle;
        else
          low = middle + 1;
      }
      if (low >= k) continue;
      count = std::min(count + 1, k);
      for (int64_t j = count - 1; j > low; --j)
        put(j, load<C>(values, values_first + (j - 1) * values_step), index(j - 1));
      put(low, value, i);
    }
  }
  int64_t index(int64_t at) const {
    return indices.data ? load<int64_t>(indices, indices_first + at * indices_step) : 0;
  }
  template <typename C>
  void put(int64_t at, C value, int64_t index) const {
    store(values, values_first + at * values_step, value);
    if (indices.data) store(indices, indices_first + at * indices_step, index);
  }
};

void reference(const TopKAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView& x = in[0];
  const int axis = wrap_axis(attrs.axis, x.rank);
  const int64_t k = std::clamp<int64_t>(load<int64_t>(in[1], 0), 0, x.dim(axis));
  const bool has_room = k <= out[0].dim(axis);
  for (TensorView& view : out) view.dims[static_cast<size_t>(axis)] = k;
  if (!has_room) return;
  const TensorView &values = out[0], indices = out.size() > 1 ? out[1] : TensorView{};
  const Extents lines = extents_where(x, [&](int a) { return a != axis; });
  walk<3>(x.rank, lines, {x.strides, values.strides, indices.strides}, [&](const auto& at) {
    const Line line{attrs,
                    x,
                    values,
                    indices,
                    at[0],
                    at[1],
                    at[2],
                    x.stride(axis),
                    values.stride(axis),
                    indices.strides[static_cast<size_t>(axis)],
                    x.dim(axis),
                    k};
    with_compute(x.dtype, [&](auto tag) { line.run<decltype(tag)>(); });
  });
}

std::vector<RowNeed> rows(const TopKAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  if (axis != wrap_axis(attrs.axis, in.rank(0))) needs[0] = {.all = false, .axis = axis, .rows = range};
  return needs;
}

}  // namespace

OpDef top_k() {
  return define_op<TopKAttrs>("TopK", {.import = import, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

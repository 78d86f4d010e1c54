// The Reduce ops: a sum, a product, an extreme, a norm over some axes. One line an op in reduce_ops().
//   in   x, optional axes i64 (an attribute before opset 18, ReduceSum 13; none or empty: all axes, or none of them if
//   the node says so) out  x's dims with the reduced axes 1 (keepdims) or left out
// A reduction over nothing gives what the text says: 0, 1, minus or plus infinity (or the type's own limit). NaN is the
// result of an extreme that sees one.
#include "ops/reduce.h"

#include <cmath>
#include <limits>

#include "ops/shape_values.h"
#include "ops/shapes.h"

namespace memline::ops {

Result<std::vector<bool>> reduced_axes(const ReduceAttrs& attrs, const InferContext& in) {
  std::vector<int64_t> axes;
  if (in.has(1)) {
    MEML_TRY(axes, in.constant_ints(1, "axes"));
  }
  MEML_TRY(const std::vector<int> resolved, resolve_axes(axes, in.rank(0), "axes"));
  std::vector<bool> reduced(static_cast<size_t>(in.rank(0)), resolved.empty() && !attrs.noop_with_empty_axes);
  for (const int axis : resolved) reduced[static_cast<size_t>(axis)] = true;
  return reduced;
}

std::array<bool, kMaxRank> reduced_axes(const ReduceAttrs& attrs, std::span<const TensorView> in) {
  const TensorView axes = input_or_none(in, 1);
  const int64_t count = axes.data ? axes.elements() : 0;
  std::array<bool, kMaxRank> reduced;
  reduced.fill(count == 0 && !attrs.noop_with_empty_axes);
  for (int64_t i = 0; i < count; ++i)
    reduced[static_cast<size_t>(wrap_axis(load<int64_t>(axes, i * axes.stride(0)), in[0].rank))] = true;
  return reduced;
}

namespace {

// What a reduction folds with: start(dtype), fold(state, x), finish(state, number of elements). C is double, int64_t or
// uint64_t.
struct Sum {
  template <typename C>
  static C start(DType) {
    return 0;
  }
  template <typename C>
  static C fold(C sum, C x) {
    return sum + x;
  }
  template <typename C>
  static C finish(C sum, int64_t) {
    return sum;
  }
};
struct Mean : Sum {
  template <typename C>
  static C finish(C sum, int64_t count) {
    if constexpr (std::is_integral_v<C>) return count == 0 ? 0 : sum / static_cast<C>(count);
    return sum / static_cast<C>(count);
  }
};
struct Product : Sum {
  template <typename C>
  static C start(DType) {
    return 1;
  }
  template <typename C>
  static C fold(C product, C x) {
    return product * x;
  }
};
struct L1 : Sum {
  template <typename C>
  static C fold(C sum, C x) {
    return sum + (x < 0 ? -x : x);
  }
};
struct SumSquare : Sum {
  template <typename C>
  static C fold(C sum, C x) {
    return sum + x * x;
  }
};
struct L2 : SumSquare {
  template <typename C>
  static C finish(C sum, int64_t) {
    return static_cast<C>(std::sqrt(static_cast<double>(sum)));
  }
};
struct LogSum : Sum {
  template <typename C>
  static C finish(C sum, int64_t) {
    return static_cast<C>(std::log(static_cast<double>(sum)));
  }
};
struct LogSumExp : LogSum {
  template <typename C>
  static C fold(C sum, C x) {
    return sum + static_cast<C>(std::exp(static_cast<double>(x)));
  }
};

template <typename C, typename Pick>
C limit_of(DType dtype, Pick&& pick) {
  return with_dtype(dtype, [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_integral_v<T>) return static_cast<C>(pick(std::numeric_limits<T>{}));
    if constexpr (std::is_same_v<T, Bool>) return static_cast<C>(pick(std::numeric_limits<bool>{}));
    return std::is_integral_v<C> ? C{} : static_cast<C>(pick(std::numeric_limits<double>{}));
  });
}
// The least and the largest value of a type: infinities where it has them.
struct Least {
  template <typename L>
  constexpr auto operator()(L) const {
    return L::has_infinity ? -L::infinity() : L::lowest();
  }
};
struct Largest {
  template <typename L>
  constexpr auto operator()(L) const {
    return L::has_infinity ? L::infinity() : L::max();
  }
};
struct Max : Sum {
  template <typename C>
  static C start(DType dtype) {
    return limit_of<C>(dtype, Least{});
  }
  template <typename C>
  static C fold(C best, C x) {
    return x > best || is_nan(x) ? x : best;
  }
};
struct Min : Sum {
  template <typename C>
  static C start(DType dtype) {
    return limit_of<C>(dtype, Largest{});
  }
  template <typename C>
  static C fold(C best, C x) {
    return x < best || is_nan(x) ? x : best;
  }
};

Result<ReduceAttrs> import(AttrReader& reader, int opset, int axes_are_an_input_since) {
  MEML_TRY(ReduceAttrs attrs, detail::import_fields<ReduceAttrs>(reader, opset));
  if (opset >= axes_are_an_input_since) return attrs;
  attrs.noop_with_empty_axes = false;
  MEML_TRY(const std::optional<std::vector<int64_t>> axes, reader.find_ints("axes"));
  if (axes) reader.set_int64_input(1, *axes);
  return attrs;
}
Result<ReduceAttrs> import_18(AttrReader& reader, int opset) { return import(reader, opset, 18); }
Result<ReduceAttrs> import_13(AttrReader& reader, int opset) { return import(reader, opset, 13); }

Result<TensorTypes> infer(const ReduceAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 2));
  MEML_TRY(const std::vector<bool> reduced, reduced_axes(attrs, in));
  TensorType type{in.dtype(0), {}};
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i])
      type.dims.push_back(in.dims(0)[i]);
    else if (attrs.keepdims)
      type.dims.push_back(1);
  }
  return TensorTypes{std::move(type)};
}

template <typename Fold>
void reference(const ReduceAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  const auto reduced = reduced_axes(attrs, in);
  const auto is_reduced = [&](int axis) { return reduced[static_cast<size_t>(axis)]; };
  const Extents outer = extents_where(x, [&](int axis) { return !is_reduced(axis); }),
                inner = extents_where(x, is_reduced);
  Extents y_strides{};
  int64_t count = 1;
  for (int i = 0, own = 0; i < x.rank; ++i) {
    if (is_reduced(i)) count *= x.dim(i);
    if (!is_reduced(i)) y_strides[static_cast<size_t>(i)] = y.stride(own);
    if (!is_reduced(i) || attrs.keepdims) ++own;
  }
  with_compute(x.dtype, [&](auto tag) {
    using C = std::conditional_t<std::is_integral_v<decltype(tag)>, decltype(tag), double>;
    walk<2>(x.rank, outer, {x.strides, y_strides}, [&](const auto& first) {
      C state = Fold::template start<C>(x.dtype);
      walk<1>(x.rank, inner, {x.strides},
              [&](const auto& at) { state = Fold::fold(state, load<C>(x, first[0] + at[0])); });
      store(y, first[1], Fold::finish(state, count));
    });
  });
}

std::vector<RowNeed> rows(const ReduceAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  const auto reduced = reduced_axes(attrs, in);
  if (!reduced) return needs;
  int own = 0;
  for (size_t i = 0; i < reduced->size(); ++i) {
    if ((*reduced)[i] && !attrs.keepdims) continue;
    if (own++ == axis && !(*reduced)[i]) needs[0] = {.all = false, .axis = static_cast<int>(i), .rows = range};
  }
  return needs;
}

// Shape arithmetic over all elements of a list (the product of an extent list, the shorter side).
template <DimExpr (*combine)(const DimExpr&, const DimExpr&)>
Result<Integers> values(const ReduceAttrs& attrs, const InferContext& in) {
  const std::vector<DimExpr>* elements = in.values(0);
  if (elements == nullptr || elements->empty() || in.rank(0) > 1) return std::nullopt;
  MEML_TRY(const std::vector<bool> reduced, reduced_axes(attrs, in));
  if (reduced.empty() || !reduced[0]) return Integers(*elements);
  DimExpr result = elements->front();
  for (size_t i = 1; i < elements->size(); ++i) result = combine(result, (*elements)[i]);
  return Integers({result});
}

DimExpr sum_of(const DimExpr& a, const DimExpr& b) { return a + b; }
DimExpr product_of(const DimExpr& a, const DimExpr& b) { return a * b; }
DimExpr smaller_of(const DimExpr& a, const DimExpr& b) { return min(a, b); }
DimExpr larger_of(const DimExpr& a, const DimExpr& b) { return max(a, b); }

template <typename Fold>
OpDef reduce(std::string_view name, decltype(OpFunctions<ReduceAttrs>::values) values = nullptr,
             decltype(OpFunctions<ReduceAttrs>::import) import = import_18) {
  return define_op<ReduceAttrs>(
      name, {.import = import, .infer = infer, .values = values, .reference = reference<Fold>, .rows = rows});
}

}  // namespace

std::vector<OpDef> reduce_ops() {
  std::vector<OpDef> ops;
  ops.push_back(reduce<L1>("ReduceL1"));
  ops.push_back(reduce<L2>("ReduceL2"));
  ops.push_back(reduce<LogSum>("ReduceLogSum"));
  ops.push_back(reduce<LogSumExp>("ReduceLogSumExp"));
  ops.push_back(reduce<Max>("ReduceMax", values<larger_of>));
  ops.push_back(reduce<Mean>("ReduceMean"));
  ops.push_back(reduce<Min>("ReduceMin", values<smaller_of>));
  ops.push_back(reduce<Product>("ReduceProd", values<product_of>));
  ops.push_back(reduce<Sum>("ReduceSum", values<sum_of>, import_13));
  ops.push_back(reduce<SumSquare>("ReduceSumSquare"));
  return ops;
}

}  // namespace memline::ops

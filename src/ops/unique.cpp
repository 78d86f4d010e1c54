// Unique: the distinct slices on an axis (or the distinct elements, without one). Outputs: the slices, then optionally
// the index of each one's first occurrence, for each input slice its place in the output, and how often each occurs.
// Their number is a count.
//   * The output is the list that is searched and inserted into, so no memory is needed and the time is quadratic in
//     its length.
//   * NaN equals NaN and sorts behind every number, as in numpy.
#include "ops/unique.h"

#include "ops/op.h"
#include "ops/reference.h"
#include "ops/same_elements.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const UniqueAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  TensorType values = in.type(0);
  DimExpr extent, count;
  if (attrs.axis == UniqueAttrs::kFlat) {
    extent = product(in.dims(0));
    count = in.count("distinct elements", extent);
    values.dims = {count};
  } else {
    MEML_TRY(const int axis, resolve_axis(attrs.axis, in.rank(0), "axis"));
    extent = in.dims(0)[static_cast<size_t>(axis)];
    count = in.count("distinct slices", extent);
    values.dims[static_cast<size_t>(axis)] = count;
  }
  const TensorType a_kept = {.dtype = DType::i64, .dims = {count}}, an_input = {.dtype = DType::i64, .dims = {extent}};
  TensorTypes types = {std::move(values), a_kept, an_input, a_kept};
  types.resize(std::min(types.size(), in.outputs()));
  return types;
}

template <typename C>
int compare(C a, C b) {
  if (a != a || b != b) return static_cast<int>(a != a) - static_cast<int>(b != b);
  return static_cast<int>(a > b) - static_cast<int>(a < b);
}

// A tensor as a row of slices: along an axis, or element by element.
struct Slices {
  TensorView view;
  bool flat = false;
  size_t axis = 0;

  int64_t count() const { return flat ? view.elements() : view.dims[axis]; }
  TensorView at(int64_t i) const {
    TensorView slice = view;
    const int64_t begin = flat ? offset_of(view, i) : i * view.strides[axis];
    slice.data = view.as<std::byte>() + begin * size_of(view.dtype);
    if (flat)
      slice.rank = 0;
    else
      slice.dims[axis] = 1;
    return slice;
  }
};

// Below, equal or above, element by element in row-major order.
int order(const TensorView& a, const TensorView& b) {
  return with_compute(a.dtype, [&](auto tag) {
    using C = decltype(tag);
    int result = 0;
    walk<2>(a.rank, a.dims, {a.strides, b.strides}, [&](const auto& at) {
      if (result == 0) result = compare(load<C>(a, at[0]), load<C>(b, at[1]));
    });
    return result;
  });
}

struct Place {
  int64_t index = 0;
  bool found = false;
};

// Where `slice` stands among the first `count` slices, or where it has to be inserted.
Place find_slice(const TensorView& slice, const Slices& among, int64_t count, bool sorted) {
  int64_t i = 0;
  for (; i < count; ++i) {
    const int compared = order(among.at(i), slice);
    if (compared == 0) return {i, true};
    if (sorted && compared > 0) break;
  }
  return {i, false};
}

// A list of counts or indices beside the output's slices; nothing when the node does not ask for it.
struct List {
  const TensorView* view;

  void set(int64_t i, int64_t value) const {
    if (view != nullptr) store(*view, i * view->stride(0), value);
  }
  void add_one(int64_t i) const {
    if (view != nullptr) set(i, load<int64_t>(*view, i * view->stride(0)) + 1);
  }
  // Makes room at `place` in the first `count`.
  void insert(int64_t place, int64_t count, int64_t value) const {
    if (view == nullptr) return;
    for (int64_t i = count; i > place; --i) set(i, load<int64_t>(*view, (i - 1) * view->stride(0)));
    set(place, value);
  }
};

List list(std::span<TensorView> out, size_t o) {
  return {o < out.size() && out[o].data != nullptr ? &out[o] : nullptr};
}

void reference(const UniqueAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const bool flat = attrs.axis == UniqueAttrs::kFlat;
  const size_t axis = flat ? 0 : static_cast<size_t>(wrap_axis(attrs.axis, in[0].rank));
  const Slices input = {.view = in[0], .flat = flat, .axis = axis}, kept = {.view = out[0], .flat = flat, .axis = axis};
  const List first = list(out, 1), inverse = list(out, 2), counts = list(out, 3);
  int64_t distinct = 0;
  for (int64_t i = 0; i < input.count(); ++i) {
    const auto [place, found] = find_slice(input.at(i), kept, distinct, attrs.sorted);
    if (found) {
      counts.add_one(place);
      continue;
    }
    if (distinct >= kept.count()) {  // more than there is room for
      out[0].dims[axis] = distinct + 1;
      return;
    }
    for (int64_t k = distinct; k > place; --k) copy(kept.at(k - 1), kept.at(k));
    copy(input.at(i), kept.at(place));
    first.insert(place, distinct, i);
    counts.insert(place, distinct, 1);
    ++distinct;
  }
  for (int64_t i = 0; i < input.count(); ++i)
    inverse.set(i, find_slice(input.at(i), kept, distinct, attrs.sorted).index);
  out[0].dims[axis] = distinct;
  for (const size_t o : {1u, 3u})
    if (o < out.size()) out[o].dims[0] = distinct;
}

}  // namespace

OpDef unique() { return define_op<UniqueAttrs>("Unique", {.since_opset = 11, .infer = infer, .reference = reference}); }

}  // namespace memline::ops

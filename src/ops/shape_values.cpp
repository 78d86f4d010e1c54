// Integers of small tensors: see shape_values.h.
#include "ops/shape_values.h"

#include <algorithm>
#include <limits>

#include "ops/reference.h"

namespace memline::ops {
namespace {

// Element numbers of the moved inputs: number k + 1 stands for elements[k], 0 for the number 0.
struct Numbered {
  std::vector<std::vector<int64_t>> storage;
  std::vector<DimExpr> elements;
  std::vector<TensorView> views;
};

// The data of a dense tensor of numbers; `storage` must not move afterwards.
std::optional<TensorView> number_view(const std::vector<DimExpr>& dims, std::vector<int64_t>& storage) {
  const auto extents = small_dims(dims);
  if (!extents) return std::nullopt;
  return dense_view(DType::i64, storage.data(), *extents);
}

// A constant input, or one whose tracked integers are all numbers.
bool add_constant(const InferContext& in, size_t i, Numbered& numbered) {
  if (const TensorView* constant = in.constant(i)) {
    numbered.views.push_back(*constant);
    return true;
  }
  const std::vector<DimExpr>* values = in.values(i);
  if (values == nullptr) return false;
  std::vector<int64_t>& storage = numbered.storage.emplace_back();
  for (const DimExpr& value : *values) {
    if (!value.is_constant()) return false;
    storage.push_back(*value.constant());
  }
  const auto view = number_view(in.dims(i), storage);
  if (view) numbered.views.push_back(*view);
  return view.has_value();
}

bool add_moved(const InferContext& in, size_t i, Numbered& numbered) {
  const std::vector<DimExpr>* values = in.values(i);
  if (values == nullptr) return false;
  std::vector<int64_t>& storage = numbered.storage.emplace_back();
  for (const DimExpr& value : *values) {
    numbered.elements.push_back(value);
    storage.push_back(static_cast<int64_t>(numbered.elements.size()));
  }
  const auto view = number_view(in.dims(i), storage);
  if (view) numbered.views.push_back(*view);
  return view.has_value();
}

std::optional<Numbered> number_inputs(const InferContext& in, uint64_t moved) {
  Numbered numbered;
  numbered.storage.reserve(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    if (!in.has(i)) {
      numbered.views.push_back({});
    } else if ((moved >> i & 1) != 0 ? !add_moved(in, i, numbered) : !add_constant(in, i, numbered)) {
      return std::nullopt;
    }
  }
  return numbered;
}

int64_t element_count(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (const int64_t d : dims) n *= d;
  return n;
}

}  // namespace

std::optional<std::vector<int64_t>> small_dims(const std::vector<DimExpr>& dims) {
  if (dims.size() > kMaxRank) return std::nullopt;
  std::vector<int64_t> extents;
  int64_t n = 1;
  for (const DimExpr& dim : dims) {
    if (!dim.is_constant() || *dim.constant() < 0 || *dim.constant() > kMaxIntegers) return std::nullopt;
    extents.push_back(*dim.constant());
    n *= *dim.constant();
    if (n > kMaxIntegers) return std::nullopt;
  }
  return extents;
}

bool never_negative(const DimExpr& expression) {
  if (expression.is_constant()) return *expression.constant() >= 0;
  std::vector<int32_t> slots;
  expression.collect_slots(slots);
  const size_t count = slots.empty() ? 0 : static_cast<size_t>(slots.back()) + 1;
  constexpr int64_t kAnySize = std::numeric_limits<int32_t>::max();
  return expression.bounds(std::vector<Interval>(count, {.min = 0, .max = kAnySize})).min >= 0;
}

Integers moved_integers(const InferContext& in, const std::vector<DimExpr>& out_dims, uint64_t moved,
                        const Reference& reference) {
  const auto extents = small_dims(out_dims);
  if (!extents) return std::nullopt;
  const std::optional<Numbered> numbered = number_inputs(in, moved);
  if (!numbered) return std::nullopt;
  std::vector<int64_t> result(static_cast<size_t>(element_count(*extents)));
  std::vector<TensorView> out = {dense_view(DType::i64, result.data(), *extents)};
  reference(numbered->views, out);
  std::vector<DimExpr> integers;
  for (const int64_t number : result)
    integers.push_back(number == 0 ? DimExpr(0) : numbered->elements[static_cast<size_t>(number - 1)]);
  return integers;
}

namespace {

// f of the elements of all inputs, broadcast; `elements(i)` are those of input i, or nullptr.
template <typename T, typename Elements, typename Rule>
std::optional<std::vector<T>> elementwise(const InferContext& in, Elements&& elements, Rule&& f) {
  std::vector<TensorView> views;
  int rank = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const auto extents = elements(i) != nullptr ? small_dims(in.dims(i)) : std::nullopt;
    if (!extents) return std::nullopt;
    views.push_back(dense_view(DType::i64, nullptr, *extents));
    rank = std::max(rank, in.rank(i));
  }
  std::vector<DimExpr> out_dims(static_cast<size_t>(rank), 1);
  for (const TensorView& view : views)
    for (int a = 0; a < view.rank; ++a)
      if (view.dim(a) != 1) out_dims[static_cast<size_t>(rank - view.rank + a)] = view.dim(a);
  const auto extents = small_dims(out_dims);
  if (!extents) return std::nullopt;

  const TensorView out = dense_view(DType::i64, nullptr, *extents);
  std::vector<std::vector<T>> columns(in.size());
  for (size_t i = 0; i < in.size(); ++i)
    walk_broadcast(
        out, [&](const auto& at) { columns[i].push_back((*elements(i))[static_cast<size_t>(at[1])]); }, views[i]);
  std::vector<T> result;
  for (size_t k = 0; k < static_cast<size_t>(out.elements()); ++k) {
    std::vector<T> arguments;
    for (const std::vector<T>& column : columns) arguments.push_back(column[k]);
    std::optional<T> value = f(std::span<const T>(arguments));
    if (!value) return std::nullopt;
    result.push_back(*std::move(value));
  }
  return result;
}

// Past this an expression is no size of anything, and the bounds of what it leads to would take long to find.
constexpr int kMostFloatNodes = 256;

}  // namespace

// Expressions that are too large to carry along get a slot from whoever asked.
Integers elementwise_integers(const InferContext& in, const ElementRule& f) {
  return elementwise<DimExpr>(
      in, [&](size_t i) { return in.values(i); }, f);
}

Reals elementwise_reals(const InferContext& in, const RealRule& f) {
  for (size_t i = 0; i < in.size(); ++i)
    if (in.dtype(i) != DType::f32) return std::nullopt;
  return elementwise<FloatExpr>(
      in, [&](size_t i) { return in.reals(i); },
      [&](std::span<const FloatExpr> x) {
        const FloatExpr value = f(x);
        return value.node_count() > kMostFloatNodes ? std::nullopt : std::optional(value);
      });
}

}  // namespace memline::ops

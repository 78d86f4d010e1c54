#include "engine/operand.h"

#include <algorithm>

#include "base/size.h"

namespace memline::engine {
namespace {

// Grows [low, high], the first and the last element touched, by an axis of `count` >= 1 indices from `first` on.
bool add_axis(int64_t first, int64_t count, int64_t stride, int64_t& low, int64_t& high) {
  const auto start = checked_mul(first, stride);
  const auto length = checked_mul(count - 1, stride);
  if (!start || !length) return false;
  const auto new_low = checked_add(low, *start), new_high = checked_add(high, *start);
  if (!new_low || !new_high) return false;
  const auto grown_low = checked_add(*new_low, std::min<int64_t>(*length, 0));
  const auto grown_high = checked_add(*new_high, std::max<int64_t>(*length, 0));
  if (!grown_low || !grown_high) return false;
  low = *grown_low;
  high = *grown_high;
  return true;
}

std::optional<ByteSpan> touched_bytes(const Operand& operand, const TensorView& view, int64_t offset,
                                      const int64_t* slots) noexcept {
  int64_t low = 0, high = 0;
  for (int axis = 0; axis < view.rank; ++axis) {
    ops::RowRange rows{0, view.dim(axis)};
    if (axis == operand.rows.axis) {
      rows.begin = std::max<int64_t>(operand.rows.begin.evaluate(slots), 0);
      rows.end = std::min(operand.rows.end.evaluate(slots), view.dim(axis));
    }
    if (rows.begin >= rows.end) return ByteSpan{};
    if (!add_axis(rows.begin, rows.end - rows.begin, view.stride(axis), low, high)) return std::nullopt;
  }
  const int64_t size = size_of(view.dtype);
  const auto first = checked_mul(low, size), last = checked_mul(high, size);
  if (!first || !last) return std::nullopt;
  const auto begin = checked_add(offset, *first), end = checked_add(offset, *last);
  if (!begin || !end || !checked_add(*end, size)) return std::nullopt;
  return ByteSpan{*begin, *end + size};
}

}  // namespace

bool is_constant(const Operand& operand) {
  const auto constant = [](const DimExpr& expression) { return expression.is_constant(); };
  return operand.offset.is_constant() && std::ranges::all_of(operand.type.dims, constant) &&
         std::ranges::all_of(operand.strides, constant) && operand.rows.begin.is_constant() &&
         operand.rows.end.is_constant();
}

std::optional<Placed> place(const Operand& operand, const int64_t* slots) noexcept {
  Placed placed;
  TensorView& view = placed.view;
  view.dtype = operand.type.dtype;
  view.rank = static_cast<uint8_t>(operand.type.dims.size());
  int64_t elements = 1;
  for (size_t axis = 0; axis < view.rank; ++axis) {
    view.dims[axis] = operand.type.dims[axis].evaluate(slots);
    view.strides[axis] = operand.strides[axis].evaluate(slots);
    if (view.dims[axis] < 0) return std::nullopt;
    const auto product = checked_mul(elements, std::max<int64_t>(view.dims[axis], 1));
    if (!product) return std::nullopt;
    elements = *product;
  }
  placed.offset = operand.offset.evaluate(slots);
  if (placed.offset % size_of(view.dtype) != 0) return std::nullopt;
  const auto touched = touched_bytes(operand, view, placed.offset, slots);
  if (!touched) return std::nullopt;
  placed.touched = *touched;
  return placed;
}

}  // namespace memline::engine

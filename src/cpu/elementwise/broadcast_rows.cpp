#include "cpu/elementwise/broadcast_rows.h"

#include <algorithm>

namespace memline::cpu {

BroadcastRows::BroadcastRows(const TensorView& out, int row_axis, ops::RowRange rows) noexcept
    : rank_(out.rank), row_axis_(row_axis) {
  for (int i = 0; i < rank_; ++i) axes_[static_cast<size_t>(i)].extent = out.dim(i);
  if (row_axis >= 0 && row_axis < rank_) {
    axes_[static_cast<size_t>(row_axis)].extent = rows.end - rows.begin;
    first_row_ = rows.begin;
  }
  add(out.strides);
}

int BroadcastRows::add(const std::array<int64_t, kMaxRank>& strides) noexcept {
  const auto operand = static_cast<size_t>(operands_);
  for (int i = 0; i < rank_; ++i) axes_[static_cast<size_t>(i)].strides[operand] = strides[static_cast<size_t>(i)];
  if (row_axis_ >= 0 && row_axis_ < rank_) base_[operand] = first_row_ * strides[static_cast<size_t>(row_axis_)];
  return operands_++;
}

int BroadcastRows::add_broadcast(const TensorView& operand) noexcept {
  std::array<int64_t, kMaxRank> strides{};
  const int shift = rank_ - operand.rank;
  for (int i = 0; i < operand.rank; ++i)
    strides[static_cast<size_t>(i + shift)] = operand.dim(i) == 1 ? 0 : operand.stride(i);
  return add(strides);
}

bool BroadcastRows::merges(const Axis& outer, const Axis& inner) const {
  for (int k = 0; k < operands_; ++k) {
    const auto operand = static_cast<size_t>(k);
    if (outer.strides[operand] != inner.extent * inner.strides[operand]) return false;
  }
  return true;
}

void BroadcastRows::finish() noexcept {
  int kept = 0;
  for (int i = 0; i < rank_; ++i) {
    const Axis axis = axes_[static_cast<size_t>(i)];
    if (axis.extent != 1) axes_[static_cast<size_t>(kept++)] = axis;
  }
  std::sort(axes_.begin(), axes_.begin() + kept,
            [](const Axis& a, const Axis& b) { return a.strides[0] > b.strides[0]; });
  rank_ = 0;
  for (int i = 0; i < kept; ++i) {
    const Axis axis = axes_[static_cast<size_t>(i)];
    Axis* const outer = rank_ > 0 ? &axes_[static_cast<size_t>(rank_ - 1)] : nullptr;
    if (outer && merges(*outer, axis))
      *outer = {outer->extent * axis.extent, axis.strides};
    else
      axes_[static_cast<size_t>(rank_++)] = axis;
  }
  if (rank_ > 0) columns_ = axes_[static_cast<size_t>(--rank_)];
  rows_ = 1;
  for (int i = 0; i < rank_; ++i) rows_ *= axes_[static_cast<size_t>(i)].extent;
}

void BroadcastRows::offsets(int operand, int64_t first, int count, int64_t* offsets) const noexcept {
  const auto o = static_cast<size_t>(operand);
  std::array<int64_t, kMaxRank> index{};
  int64_t offset = base_[o];
  for (int i = rank_ - 1; i >= 0; --i) {
    const Axis& axis = axes_[static_cast<size_t>(i)];
    index[static_cast<size_t>(i)] = first % axis.extent;
    first /= axis.extent;
    offset += index[static_cast<size_t>(i)] * axis.strides[o];
  }
  for (int r = 0; r < count; ++r) {
    offsets[r] = offset;
    for (int i = rank_ - 1; i >= 0; --i) {
      const Axis& axis = axes_[static_cast<size_t>(i)];
      offset += axis.strides[o];
      if (++index[static_cast<size_t>(i)] < axis.extent) break;
      offset -= axis.extent * axis.strides[o];
      index[static_cast<size_t>(i)] = 0;
    }
  }
}

}  // namespace memline::cpu

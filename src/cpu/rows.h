// Row ranges: the part of a view that a kernel was asked for.
#pragma once

#include "ops/op.h"
#include "tensor/tensor_view.h"

namespace memline::cpu {

// `view` cut to `rows` of its logical `axis`. An axis that the view does not have leaves it whole.
inline TensorView row_band(TensorView view, int axis, ops::RowRange rows) {
  if (axis < 0 || axis >= view.rank) return view;
  const auto a = static_cast<size_t>(axis);
  view.data = view.as<std::byte>() + rows.begin * view.strides[a] * size_of(view.dtype);
  view.dims[a] = rows.end - rows.begin;
  return view;
}

}  // namespace memline::cpu

// Two tensors of one name beside each other: dtype, shape, and how far their elements are apart.
#pragma once

#include "memline/tools.hpp"
#include "tensor/tensor_view.h"

namespace memline::api {

// Both dense. Fills all but name, node and op.
tools::ComparedValue compare_views(const TensorView& found, const TensorView& stored, double tolerance);

}  // namespace memline::api

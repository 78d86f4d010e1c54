// Copies between views of any order, strides and (float) dtype at memory speed, shared out over the participants.
#pragma once

#include "base/parallel.h"
#include "tensor/tensor_view.h"

namespace memline::cpu {

// Whether copy_strided can turn `from` into `to`: the same dtype, f32 <-> bf16, f32 <-> f16.
bool can_copy(DType from, DType to);

// out[i] = in[i] for each logical index. Equal dims; a stride of 0 in `in` broadcasts. The views do not overlap.
void copy_strided(const TensorView& in, const TensorView& out, Parallel& parallel) noexcept;

}  // namespace memline::cpu

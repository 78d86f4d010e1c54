// A block of columns of a matrix, packed during a run as a strip's weights.
#pragma once

#include "cpu/gemm/packed_blocks.h"
#include "tensor/tensor_view.h"

namespace memline::cpu {

// Packs block `block` of the matrix [depth, columns] that begins `at` elements into b; its axes are b's last two, with
// any strides. Every element is multiplied by alpha. f32 for pair 1, bf16 for pair 2.
void pack_panel(const TensorView& b, int64_t at, const PackedShape& shape, int64_t block, float alpha,
                std::byte* panel) noexcept;

}  // namespace memline::cpu

// The attributes of QuantizeLinear and DequantizeLinear, and how an element finds its scale.
#pragma once

#include <algorithm>

#include "ops/op.h"
#include "ops/reference.h"

namespace memline::ops {

struct QuantizeLinearAttrs {
  int64_t axis = 1;        // of a scale for each index (rank 1) or for each block
  int64_t block_size = 0;  // elements that share a scale along the axis, when the scale has x's rank
  bool has_output_dtype = false;
  DType output_dtype = DType::u8;  // used when has_output_dtype; otherwise it follows from the inputs
  bool has_precision = false;
  DType precision = DType::f32;  // QuantizeLinear: of the division; otherwise the scale's type

  void fields(auto&& field) {
    field("axis", axis);
    field("block_size", block_size);
    field("has_output_dtype", has_output_dtype);
    field("output_dtype", output_dtype);
    field("has_precision", has_precision);
    field("precision", precision);
  }
};

Result<QuantizeLinearAttrs> import_quantize_linear(AttrReader& reader, int opset);

// Scale (input 1) and zero point (input 2) fit x (input 0): one element, one an index of the axis, or one a block.
Status check_quantization(const QuantizeLinearAttrs& attrs, const InferContext& in);
std::vector<RowNeed> quantization_rows(const QuantizeLinearAttrs& attrs, const InferContext& in, int axis,
                                       RowRange rows);

// f(offset in x, in y, in scale, in zero) for each element; zero may be empty.
template <typename F>
void walk_quantized(const QuantizeLinearAttrs& attrs, const TensorView& x, const TensorView& y, const TensorView& scale,
                    const TensorView& zero, F&& f) {
  const bool one = scale.rank == 0 || scale.elements() == 1, blocked = !one && scale.rank == x.rank && scale.rank > 1;
  const auto axis = one ? size_t{0} : static_cast<size_t>(attrs.axis < 0 ? attrs.axis + x.rank : attrs.axis);
  Extents along{}, scales{}, zeros{};
  along[axis] = 1;
  if (blocked) {
    scales = scale.strides, zeros = zero.strides;
    scales[axis] = zeros[axis] = 0;
  }
  const size_t own = blocked ? axis : 0;  // the axis of scale that follows x's
  const int64_t per_scale = blocked ? std::max<int64_t>(attrs.block_size, 1) : 1;
  walk<5>(x.rank, x.dims, {x.strides, y.strides, scales, zeros, along}, [&](const auto& at) {
    const int64_t index = one ? 0 : at[4] / per_scale;
    f(at[0], at[1], at[2] + index * scale.strides[own], at[3] + index * zero.strides[own]);
  });
}

}  // namespace memline::ops

// ConvTranspose's attributes, and where its output lies.
#pragma once

#include "ops/windows.h"

namespace memline::ops {

struct ConvTransposeAttrs : WindowAttrs {
  int64_t group = 1;
  std::vector<int64_t> output_padding;  // empty: 0 on every axis
  std::vector<int64_t> output_shape;    // spatial extents; empty: they follow from the pads

  void fields(auto&& field) {
    window_fields(field);
    field("group", group);
    field("output_padding", output_padding);
    field("output_shape", output_shape);
  }
};

// One spatial axis: input index i and tap k add to output index i * stride - pad_begin + k * dilation. `in` is needed
// only with output_shape. Pads that follow from output_shape or SAME are never negative: what is missing is added at
// the end, as zeros.
Window transposed_window(const ConvTransposeAttrs& attrs, int axis, int64_t kernel, int64_t in);

}  // namespace memline::ops

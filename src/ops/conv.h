// Conv's attributes, and what it shares with ConvInteger and QLinearConv.
#pragma once

#include "ops/windows.h"

namespace memline::ops {

struct ConvAttrs : WindowAttrs {
  int64_t group = 1;

  void fields(auto&& field) {
    window_fields(field);
    field("group", group);
  }
};

Result<ConvAttrs> import_conv(AttrReader& reader, int opset);

// The output's type for input x and weights w (indices into the context), with every check of shapes; its dtype is x's.
Result<TensorType> infer_conv(const ConvAttrs& attrs, const InferContext& in, size_t x, size_t w);

// Rows of x (input `x` of `inputs`) under output rows: a halo on spatial axes, the same rows on the batch axis.
std::vector<RowNeed> conv_rows(const ConvAttrs& attrs, const InferContext& in, size_t x, size_t w, int axis,
                               RowRange rows);

}  // namespace memline::ops

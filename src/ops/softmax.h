// The attributes of Softmax and LogSoftmax.
#pragma once

#include "ops/op.h"

namespace memline::ops {

struct SoftmaxAttrs {
  int64_t axis = -1;
  bool flatten = false;  // before opset 13: one softmax over all axes from `axis` on

  void fields(auto&& field) {
    field("axis", axis);
    field("flatten", flatten);
  }
};

// Whether one softmax runs over this (logical, >= 0) axis.
constexpr bool softmax_runs_over(const SoftmaxAttrs& attrs, int axis, int rank) {
  const int64_t first = attrs.axis < 0 ? attrs.axis + rank : attrs.axis;
  return attrs.flatten ? axis >= first : axis == first;
}

Result<SoftmaxAttrs> import_softmax(AttrReader& reader, int opset);
Result<TensorTypes> infer_softmax(const SoftmaxAttrs& attrs, const InferContext& in);
std::vector<RowNeed> softmax_rows(const SoftmaxAttrs& attrs, const InferContext& in, int axis, RowRange rows);

}  // namespace memline::ops

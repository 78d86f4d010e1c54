// The attributes of the Reduce ops, and which axes they run over.
#pragma once

#include "ops/op.h"
#include "ops/reference.h"

namespace memline::ops {

struct ReduceAttrs {
  bool keepdims = true;
  bool noop_with_empty_axes =
      false;  // no axes: reduce none of them (the element's own part still happens: squares, roots)

  void fields(auto&& field) {
    field("keepdims", keepdims);
    field("noop_with_empty_axes", noop_with_empty_axes);
  }
};

// By axis: whether it is reduced. From the input `axes` of the context; it must be known at build.
Result<std::vector<bool>> reduced_axes(const ReduceAttrs& attrs, const InferContext& in);
// The same in a run.
std::array<bool, kMaxRank> reduced_axes(const ReduceAttrs& attrs, std::span<const TensorView> in);

}  // namespace memline::ops

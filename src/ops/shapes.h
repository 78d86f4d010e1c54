// Small rules that many ops' shape functions share: axes that may be negative, and broadcasting of dims.
#pragma once

#include <string_view>
#include <vector>

#include "ops/op.h"

namespace memline::ops {

// axis in [-rank, rank) -> [0, rank); invalid_model otherwise. `what` names it in the error: "axis", "axes".
Result<int> resolve_axis(int64_t axis, int rank, std::string_view what);
// The same for a list, which may not name an axis twice. The order is kept.
Result<std::vector<int>> resolve_axes(const std::vector<int64_t>& axes, int rank, std::string_view what);
// For references, whose attributes infer has checked.
constexpr int wrap_axis(int64_t axis, int rank) { return static_cast<int>(axis < 0 ? axis + rank : axis); }

// ONNX's multidirectional broadcasting of two lists of dims: aligned from the right, extent 1 is repeated.
// Where one extent is a number and the other is not, the other must be it or 1 when the node runs. Where neither is a
// number they must be equal: an extent that is 1 in some runs only is not repeated, because no later step could rely on
// the result's dims.
Result<std::vector<DimExpr>> broadcast_dims(const InferContext& in, const std::vector<DimExpr>& a,
                                            const std::vector<DimExpr>& b);

}  // namespace memline::ops

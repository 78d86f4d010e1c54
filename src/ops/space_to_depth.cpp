// SpaceToDepth: blocks of blocksize x blocksize pixels become channels, ordered as the mode says.
//   in   x [N, C, H, W]
//   out  [N, C * blocksize^2, H / blocksize, W / blocksize]
#include "ops/depth_to_space.h"
#include "ops/reference.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const DepthToSpaceAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 1));
  MEML_TRY_STATUS(in.expect_rank(0, 4, 4));
  if (attrs.blocksize < 1 || attrs.blocksize > 1 << 15)
    return invalid_model("blocksize is {}, needs at least 1", attrs.blocksize);
  if (attrs.mode != "DCR" && attrs.mode != "CRD") return invalid_model("mode is '{}', needs DCR or CRD", attrs.mode);
  const auto& x = in.dims(0);
  const DimExpr b = attrs.blocksize;
  for (size_t i = 2; i < 4; ++i)
    MEML_TRY_STATUS(in.expect_equal(
        mod(x[i], b), 0,
        fmt::format("axis {} with {} elements divides into blocks of {}", i, x[i].text(), attrs.blocksize)));
  return TensorTypes{{in.dtype(0), {x[0], x[1] * b * b, floor_div(x[2], b), floor_div(x[3], b)}}};
}

void reference(const DepthToSpaceAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  const int64_t b = attrs.blocksize, channels = x.dim(1);
  with_compute(x.dtype, [&](auto tag) {
    for (int64_t n = 0; n < y.dim(0); ++n)
      for (int64_t c = 0; c < y.dim(1); ++c)
        for (int64_t h = 0; h < y.dim(2); ++h)
          for (int64_t w = 0; w < y.dim(3); ++w) {
            const bool depth_last = attrs.mode == "DCR";
            const int64_t block = depth_last ? c / channels : c % (b * b),
                          from = depth_last ? c % channels : c / (b * b);
            const int64_t row = h * b + block / b, column = w * b + block % b;
            store(y, n * y.stride(0) + c * y.stride(1) + h * y.stride(2) + w * y.stride(3),
                  load<decltype(tag)>(x,
                                      n * x.stride(0) + from * x.stride(1) + row * x.stride(2) + column * x.stride(3)));
          }
  });
}

std::vector<RowNeed> rows(const DepthToSpaceAttrs& attrs, const InferContext&, int axis, RowRange range) {
  if (axis == 1) return {RowNeed{}};
  if (axis == 0) return {{.all = false, .axis = 0, .rows = range}};
  return {{.all = false, .axis = axis, .rows = {range.begin * attrs.blocksize, range.end * attrs.blocksize}}};
}

}  // namespace

OpDef space_to_depth() {
  return define_op<DepthToSpaceAttrs>("SpaceToDepth", {.infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

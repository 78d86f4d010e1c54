// DepthToSpace: groups of blocksize^2 channels become blocks of pixels.
//   in   x [N, C, H, W]
//   out  [N, C / blocksize^2, H * blocksize, W * blocksize]
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
  const DimExpr blocks = attrs.blocksize * attrs.blocksize;
  MEML_TRY_STATUS(in.expect_equal(mod(x[1], blocks), 0,
                                  fmt::format("{} channels divide into blocks of {}", x[1].text(), blocks.text())));
  return TensorTypes{{in.dtype(0), {x[0], floor_div(x[1], blocks), x[2] * attrs.blocksize, x[3] * attrs.blocksize}}};
}

void reference(const DepthToSpaceAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &y = out[0];
  const int64_t b = attrs.blocksize, channels = y.dim(1);
  with_compute(x.dtype, [&](auto tag) {
    for (int64_t n = 0; n < y.dim(0); ++n)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t h = 0; h < y.dim(2); ++h)
          for (int64_t w = 0; w < y.dim(3); ++w) {
            const int64_t block = h % b * b + w % b;
            const int64_t from = attrs.mode == "DCR" ? block * channels + c : c * b * b + block;
            store(y, n * y.stride(0) + c * y.stride(1) + h * y.stride(2) + w * y.stride(3),
                  load<decltype(tag)>(
                      x, n * x.stride(0) + from * x.stride(1) + h / b * x.stride(2) + w / b * x.stride(3)));
          }
  });
}

std::vector<RowNeed> rows(const DepthToSpaceAttrs& attrs, const InferContext&, int axis, RowRange range) {
  if (axis == 1) return {RowNeed{}};
  if (axis == 0) return {{.all = false, .axis = 0, .rows = range}};
  const int64_t b = attrs.blocksize;
  return {{.all = false, .axis = axis, .rows = {range.begin / b, (range.end + b - 1) / b}}};
}

}  // namespace

OpDef depth_to_space() {
  return define_op<DepthToSpaceAttrs>("DepthToSpace", {.infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

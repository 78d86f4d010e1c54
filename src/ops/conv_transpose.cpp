// ConvTranspose: the transpose of a convolution over 1 to 3 spatial axes.
//   in   x [N, C, spatial...], w [C, M/group, kernel...], optional bias [M]
//   out  [N, M, ...], stride * (in - 1) + output_padding + extent of the kernel - pads on each axis, or output_shape
#include "ops/conv_transpose.h"

#include <algorithm>

#include "base/size.h"
#include "ops/reference.h"

namespace memline::ops {
namespace {

int64_t extra(const ConvTransposeAttrs& attrs, int axis) {
  return attrs.output_padding.empty() ? 0 : attrs.output_padding[static_cast<size_t>(axis)];
}
bool same(const ConvTransposeAttrs& attrs) { return attrs.auto_pad != "NOTSET"; }

}  // namespace

Window transposed_window(const ConvTransposeAttrs& attrs, int axis, int64_t kernel, int64_t in) {
  const auto a = static_cast<size_t>(axis);
  Window w{.kernel = kernel};
  if (!attrs.strides.empty()) w.stride = attrs.strides[a];
  if (!attrs.dilations.empty()) w.dilation = attrs.dilations[a];
  if (!same(attrs) && attrs.output_shape.empty()) {
    if (attrs.pads.empty()) return w;
    w.pad_begin = attrs.pads[a];
    w.pad_end = attrs.pads[a + attrs.pads.size() / 2];
    return w;
  }
  const int64_t out = attrs.output_shape.empty() ? in * w.stride : attrs.output_shape[a];
  const int64_t total = std::max<int64_t>(w.stride * (in - 1) + extra(attrs, axis) + w.extent() - out, 0);
  w.pad_begin = attrs.auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
  w.pad_end = total - w.pad_begin;
  return w;
}

namespace {

Result<ConvTransposeAttrs> import(AttrReader& reader, int) {
  ConvTransposeAttrs attrs;
  MEML_TRY(static_cast<WindowAttrs&>(attrs), import_windows(reader));
  MEML_TRY(attrs.group, reader.int_or("group", 1));
  MEML_TRY(attrs.output_padding, reader.ints_or("output_padding", {}));
  MEML_TRY(attrs.output_shape, reader.ints_or("output_shape", {}));
  return attrs;
}

Result<std::vector<int64_t>> kernel_of(const InferContext& in) {
  std::vector<int64_t> kernel;
  for (size_t i = 2; i < in.dims(1).size(); ++i) {
    const DimExpr& extent = in.dims(1)[i];
    if (!extent.is_constant()) return unsupported("the weights' kernel extent {} is not known at build", extent.text());
    kernel.push_back(*extent.constant());
  }
  return kernel;
}

Status check_attrs(const ConvTransposeAttrs& attrs, int spatial, const std::vector<int64_t>& kernel) {
  MEML_TRY_STATUS(check_windows(attrs, spatial, kernel));
  if (!attrs.kernel_shape.empty() && attrs.kernel_shape != kernel)
    return invalid_model("kernel_shape is {} but the weights' is {}", attr_text::print(attrs.kernel_shape),
                         attr_text::print(kernel));
  if (attrs.group < 1) return invalid_model("group is {}, needs at least 1", attrs.group);
  const auto axes = static_cast<size_t>(spatial);
  if (!attrs.output_padding.empty() && attrs.output_padding.size() != axes)
    return invalid_model("output_padding has {} entries, needs {}", attrs.output_padding.size(), axes);
  for (const int64_t padding : attrs.output_padding)
    if (padding < 0) return invalid_model("output_padding has {}, needs at least 0", padding);
  if (!attrs.output_shape.empty() && attrs.output_shape.size() != axes)
    return invalid_model("output_shape has {} entries, needs the {} spatial extents", attrs.output_shape.size(), axes);
  return {};
}

Result<DimExpr> out_extent(const ConvTransposeAttrs& attrs, int axis, int64_t kernel, const DimExpr& in,
                           const InferContext& context) {
  if (!attrs.output_shape.empty()) return DimExpr(attrs.output_shape[static_cast<size_t>(axis)]);
  const Window w = transposed_window(attrs, axis, kernel, 1);
  if (same(attrs)) return in * w.stride;
  const DimExpr extent = (in - 1) * w.stride + (extra(attrs, axis) + w.extent() - w.pad_begin - w.pad_end);
  MEML_TRY_STATUS(
      context.demand(less(0, extent), fmt::format("spatial axis {} comes out with {} elements", axis, extent.text())));
  return extent;
}

Result<TensorTypes> infer(const ConvTransposeAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 3));
  MEML_TRY_STATUS(in.expect_float(0));
  MEML_TRY_STATUS(in.expect_same_dtype(0, 1));
  MEML_TRY_STATUS(in.expect_rank(0, 3, 5));
  MEML_TRY_STATUS(in.expect_rank(1, in.rank(0), in.rank(0)));
  MEML_TRY(const std::vector<int64_t> kernel, kernel_of(in));
  MEML_TRY_STATUS(check_attrs(attrs, in.rank(0) - 2, kernel));
  const DimExpr channels = in.dims(0)[1], expected = in.dims(1)[0], outputs = in.dims(1)[1] * attrs.group;
  MEML_TRY_STATUS(in.expect_equal(
      channels, expected,
      fmt::format("weights take {} input channels but the input has {}", expected.text(), channels.text())));
  if (channels.is_constant() && *channels.constant() % attrs.group != 0)
    return invalid_model("{} input channels do not divide into {} groups", channels.text(), attrs.group);
  if (in.has(2)) {
    MEML_TRY_STATUS(in.expect_same_dtype(0, 2));
    MEML_TRY_STATUS(in.expect_rank(2, 1, 1));
    MEML_TRY_STATUS(in.expect_equal(in.dims(2)[0], outputs, "the bias has one element an output channel"));
  }
  TensorType type{in.dtype(0), {in.dims(0)[0], outputs}};
  for (size_t i = 0; i < kernel.size(); ++i) {
    MEML_TRY(DimExpr extent, out_extent(attrs, static_cast<int>(i), kernel[i], in.dims(0)[i + 2], in));
    type.dims.push_back(std::move(extent));
  }
  return TensorTypes{std::move(type)};
}

// The input index that tap k carries to output index o, or -1.
int64_t source(const Window& w, int64_t o, int64_t k, int64_t in) {
  const int64_t scaled = o + w.pad_begin - k * w.dilation;
  return scaled >= 0 && scaled % w.stride == 0 && scaled / w.stride < in ? scaled / w.stride : -1;
}

void reference(const ConvTransposeAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &x = in[0], &w = in[1], &y = out[0];
  const TensorView bias = input_or_none(in, 2);
  const Spatial xs(x), ws(w), ys(y);
  std::array<Window, 3> windows;
  for (int i = 5 - x.rank; i < 3; ++i) {
    const auto s = static_cast<size_t>(i);
    windows[s] = transposed_window(attrs, i - (5 - x.rank), ws.dims[s], xs.dims[s]);
  }
  const int64_t group_inputs = x.dim(1) / attrs.group, group_outputs = w.dim(1);

  // The sum of one output element: tap by tap, and in each over the group's input channels.
  const auto sum_at = [&](int64_t n, int64_t oc, int64_t od, int64_t oh, int64_t ow) {
    double sum = 0;
    for (int64_t kd = 0; kd < ws.dims[0]; ++kd)
      for (int64_t kh = 0; kh < ws.dims[1]; ++kh)
        for (int64_t kw = 0; kw < ws.dims[2]; ++kw) {
          const int64_t d = source(windows[0], od, kd, xs.dims[0]), h = source(windows[1], oh, kh, xs.dims[1]),
                        v = source(windows[2], ow, kw, xs.dims[2]);
          if (d < 0 || h < 0 || v < 0) continue;
          const int64_t first = oc / group_outputs * group_inputs;
          const int64_t x_at = n * x.stride(0) + d * xs.strides[0] + h * xs.strides[1] + v * xs.strides[2];
          const int64_t w_at =
              oc % group_outputs * w.stride(1) + kd * ws.strides[0] + kh * ws.strides[1] + kw * ws.strides[2];
          for (int64_t ic = first; ic < first + group_inputs; ++ic)
            sum += load<double>(x, x_at + ic * x.stride(1)) * load<double>(w, w_at + ic * w.stride(0));
        }
    return sum;
  };
  for (int64_t n = 0; n < y.dim(0); ++n)
    for (int64_t oc = 0; oc < y.dim(1); ++oc)
      for (int64_t od = 0; od < ys.dims[0]; ++od)
        for (int64_t oh = 0; oh < ys.dims[1]; ++oh)
          for (int64_t ow = 0; ow < ys.dims[2]; ++ow) {
            const double shift = bias.data ? load<double>(bias, oc * bias.stride(0)) : 0;
            store(y, n * y.stride(0) + oc * y.stride(1) + od * ys.strides[0] + oh * ys.strides[1] + ow * ys.strides[2],
                  sum_at(n, oc, od, oh, ow) + shift);
          }
}

std::vector<RowNeed> rows(const ConvTransposeAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  if (axis == 0) needs[0] = {.all = false, .axis = 0, .rows = range};
  if (axis < 2) return needs;
  const auto a = static_cast<size_t>(axis);
  if (!attrs.output_shape.empty() && !in.dims(0)[a].is_constant()) return needs;
  const Window w =
      transposed_window(attrs, axis - 2, in.dims(1)[a].constant().value_or(1), in.dims(0)[a].constant().value_or(1));
  const int64_t first = range.begin + w.pad_begin - w.extent() + 1, last = range.end - 1 + w.pad_begin;
  const int64_t begin = first <= 0 ? 0 : ceil_div(first, w.stride);
  needs[0] = {.all = false, .axis = axis, .rows = {begin, std::max(begin, last / w.stride + 1)}};
  return needs;
}

}  // namespace

OpDef conv_transpose() {
  return define_op<ConvTransposeAttrs>("ConvTranspose",
                                       {.import = import, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

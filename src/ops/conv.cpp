// Conv: convolution over 1 to 3 spatial axes, with groups, strides, dilations, pads and auto_pad.
//   in   x [N, C, spatial...], w [M, C/group, kernel...], optional bias [M]
//   out  [N, M, windows...]
#include "ops/conv.h"

#include "ops/conv_reference.h"

namespace memline::ops {

Result<ConvAttrs> import_conv(AttrReader& reader, int) {
  ConvAttrs attrs;
  MEML_TRY(static_cast<WindowAttrs&>(attrs), import_windows(reader));
  MEML_TRY(attrs.group, reader.int_or("group", 1));
  return attrs;
}

namespace {

Result<std::vector<int64_t>> kernel_of(const ConvAttrs& attrs, const TensorType& w) {
  std::vector<int64_t> kernel;
  for (size_t i = 2; i < w.dims.size(); ++i) {
    if (!w.dims[i].is_constant())
      return unsupported("the weights' kernel extent {} is not known at build", w.dims[i].text());
    kernel.push_back(*w.dims[i].constant());
  }
  if (!attrs.kernel_shape.empty() && attrs.kernel_shape != kernel)
    return invalid_model("kernel_shape is {} but the weights are {}", attr_text::print(attrs.kernel_shape), w.text());
  return kernel;
}

}  // namespace

Result<TensorType> infer_conv(const ConvAttrs& attrs, const InferContext& in, size_t x, size_t w) {
  MEML_TRY_STATUS(in.expect_rank(x, 3, 5));
  MEML_TRY_STATUS(in.expect_rank(w, in.rank(x), in.rank(x)));
  const int spatial = in.rank(x) - 2;
  MEML_TRY(const std::vector<int64_t> kernel, kernel_of(attrs, in.type(w)));
  MEML_TRY_STATUS(check_windows(attrs, spatial, kernel));
  if (attrs.group < 1) return invalid_model("group is {}, needs at least 1", attrs.group);

  const DimExpr channels = in.dims(x)[1], expected = in.dims(w)[1] * attrs.group, outputs = in.dims(w)[0];
  MEML_TRY_STATUS(in.expect_equal(channels, expected,
                                  fmt::format("weights take {} input channels (group={}) but the input has {}",
                                              expected.text(), attrs.group, channels.text())));
  if (outputs.is_constant() && *outputs.constant() % attrs.group != 0)
    return invalid_model("{} output channels do not divide into {} groups", outputs.text(), attrs.group);
  TensorType type{in.dtype(x), {in.dims(x)[0], outputs}};
  for (int i = 0; i < spatial; ++i) {
    const auto s = static_cast<size_t>(i);
    MEML_TRY(DimExpr count, window_count(attrs, i, kernel[s], in.dims(x)[s + 2], in));
    type.dims.push_back(std::move(count));
  }
  return type;
}

std::vector<RowNeed> conv_rows(const ConvAttrs& attrs, const InferContext& in, size_t x, size_t w, int axis,
                               RowRange rows) {
  std::vector<RowNeed> needs(in.size());
  if (axis == 0) needs[x] = {.all = false, .axis = 0, .rows = rows};
  if (axis < 2) return needs;
  const auto a = static_cast<size_t>(axis);
  const auto range = window_rows(attrs, axis - 2, in.dims(w)[a].constant().value_or(1), in.dims(x)[a], rows);
  if (range) needs[x] = {.all = false, .axis = axis, .rows = *range};
  return needs;
}

namespace {

Result<TensorTypes> infer(const ConvAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 3));
  MEML_TRY_STATUS(in.expect_float(0));
  MEML_TRY_STATUS(in.expect_same_dtype(0, 1));
  MEML_TRY(TensorType type, infer_conv(attrs, in, 0, 1));
  if (in.has(2)) {
    MEML_TRY_STATUS(in.expect_same_dtype(0, 2));
    MEML_TRY_STATUS(in.expect_rank(2, 1, 1));
    MEML_TRY_STATUS(in.expect_equal(in.dims(2)[0], in.dims(1)[0], "the bias has one element an output channel"));
  }
  return TensorTypes{std::move(type)};
}

void reference(const ConvAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView& y = out[0];
  const TensorView bias = input_or_none(in, 2);
  const auto put = [&](int64_t at, int64_t oc, double sum) {
    store(y, at, bias.data ? sum + load<double>(bias, oc * bias.stride(0)) : sum);
  };
  Convolution(
      attrs, in[0], in[1], y, 0.0, [](int64_t) { return 0.0; }, put)
      .run();
}

std::vector<RowNeed> rows(const ConvAttrs& attrs, const InferContext& in, int axis, RowRange range) {
  return conv_rows(attrs, in, 0, 1, axis, range);
}

}  // namespace

OpDef conv() {
  return define_op<ConvAttrs>("Conv", {.import = import_conv, .infer = infer, .reference = reference, .rows = rows});
}

}  // namespace memline::ops

// Every operator, one line each, alphabetical by function. A line declares and lists it; the op itself is in the file
// of that name.
#include "ops/registry.h"

#include <vector>

// clang-format off
#define MEML_OPS(op) \
  op(arg_max) \
  op(arg_min) \
  op(attention) \
  op(average_pool) \
  op(batch_normalization) \
  op(cast) \
  op(cast_like) \
  op(clip) \
  op(compress) \
  op(concat) \
  op(constant) \
  op(constant_of_shape) \
  op(conv) \
  op(conv_integer) \
  op(conv_transpose) \
  op(copy) \
  op(cum_sum) \
  op(depth_to_space) \
  op(dequantize_linear) \
  op(dropout) \
  op(dynamic_quantize_linear) \
  op(expand) \
  op(extents) \
  op(eye_like) \
  op(flatten) \
  op(gather) \
  op(gather_elements) \
  op(gather_nd) \
  op(gemm) \
  op(global_average_pool) \
  op(global_max_pool) \
  op(grid_sample) \
  op(identity) \
  op(image_to_tensor) \
  op(instance_normalization) \
  op(layer_normalization) \
  op(log_softmax) \
  op(lrn) \
  op(mask_runs) \
  op(matmul) \
  op(matmul_integer) \
  op(max_pool) \
  op(measure) \
  op(non_max_suppression) \
  op(non_zero) \
  op(one_hot) \
  op(pad) \
  op(prelu) \
  op(qlinear_conv) \
  op(qlinear_matmul) \
  op(quantize_linear) \
  op(range) \
  op(reshape) \
  op(resize) \
  op(reverse_sequence) \
  op(roi_align) \
  op(scatter) \
  op(scatter_elements) \
  op(scatter_nd) \
  op(select_branch) \
  op(shape) \
  op(size) \
  op(slice) \
  op(softmax) \
  op(space_to_depth) \
  op(split) \
  op(squeeze) \
  op(tile) \
  op(top_k) \
  op(transpose) \
  op(trilu) \
  op(unique) \
  op(unsqueeze) \
  op(upsample) \
  op(where) \
  op(yolo8_select) \

// Families whose ops differ in a scalar function: one line an op in unary.cpp, binary.cpp, variadic.cpp.
#define MEML_FAMILIES(family) \
  family(reduce_ops) \
  family(unary_ops) \
  family(binary_ops) \
  family(variadic_ops)
// clang-format on

namespace memline::ops {

#define MEML_DECLARE(name) OpDef name();
MEML_OPS(MEML_DECLARE)
#undef MEML_DECLARE
#define MEML_DECLARE(name) std::vector<OpDef> name();
MEML_FAMILIES(MEML_DECLARE)
#undef MEML_DECLARE

namespace {

std::vector<OpDef> every_op() {
#define MEML_LIST(name) name(),
  std::vector<OpDef> list = {MEML_OPS(MEML_LIST)};
#undef MEML_LIST
#define MEML_APPEND(name) \
  for (OpDef & op : name()) list.push_back(std::move(op));
  MEML_FAMILIES(MEML_APPEND)
#undef MEML_APPEND
  return list;
}

}  // namespace

std::span<const OpDef> all() {
  static const std::vector<OpDef> list = every_op();
  return list;
}

const OpDef* find(std::string_view name, std::string_view domain) {
  if (domain == "ai.onnx") domain = "";
  for (const OpDef& op : all())
    if (op.name == name && op.domain == domain) return &op;
  return nullptr;
}

}  // namespace memline::ops

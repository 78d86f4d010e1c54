// Every operator, one line each, alphabetical by function. A line declares and lists it; the op itself is in the file
// of that name.
#include "ops/registry.h"

#include <vector>

// clang-format off
#define MEML_OPS(op) \
  op(average_pool) \
  op(batch_normalization) \
  op(conv) \
  op(conv_integer) \
  op(conv_transpose) \
  op(copy) \
  op(gemm) \
  op(global_average_pool) \
  op(global_max_pool) \
  op(instance_normalization) \
  op(layer_normalization) \
  op(log_softmax) \
  op(lrn) \
  op(matmul) \
  op(matmul_integer) \
  op(max_pool) \
  op(qlinear_conv) \
  op(qlinear_matmul) \
  op(softmax) \
// clang-format on

namespace memline::ops {

#define MEML_DECLARE(name) OpDef name();
MEML_OPS(MEML_DECLARE)
#undef MEML_DECLARE

std::span<const OpDef> all() {
#define MEML_LIST(name) name(),
  static const std::vector<OpDef> list = {MEML_OPS(MEML_LIST)};
#undef MEML_LIST
  return list;
}

const OpDef* find(std::string_view name, std::string_view domain) {
  if (domain == "ai.onnx") domain = "";
  for (const OpDef& op : all())
    if (op.name == name && op.domain == domain) return &op;
  return nullptr;
}

}  // namespace memline::ops
